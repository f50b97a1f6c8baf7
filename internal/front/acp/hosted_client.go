package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// hostedClient shows the settings of a hosted agent to the client.
type hostedClient struct{ *session }

// ID implements HostedClient.
func (c hostedClient) ID() string { return c.client }

// mostEarlyUpdates limits how many updates wait for the reply that opens the session.
const mostEarlyUpdates = 100

// Update implements HostedClient. The reply that opens the session comes first:
// sendSettings sends what arrives before it.
func (c hostedClient) Update(update json.RawMessage) {
	c.server.mu.Lock()
	shown := c.shown
	if !shown && len(c.early) < mostEarlyUpdates {
		c.early = append(c.early, update)
	}
	c.server.mu.Unlock()
	if shown {
		c.update(acp.RawUpdate(c.translated(update)))
	}
}

// takeEarly returns the updates that came before the reply. Later ones are sent
// as they come.
func (s *session) takeEarly() []json.RawMessage {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	early := s.early
	s.shown, s.early = true, nil
	return early
}

// translated adds Bellcord's own commands and options to an agent's update.
func (s *session) translated(update json.RawMessage) json.RawMessage {
	u := acp.MembersOf(update)
	switch string(u["sessionUpdate"]) {
	case `"available_commands_update"`:
		var agents []json.RawMessage
		_ = json.Unmarshal(u["availableCommands"], &agents)
		names := commandNamesOf(agents)
		s.setAgentCommands(names)
		var all []any
		for _, c := range agents {
			all = append(all, c)
		}
		for _, c := range ownCommands(names) {
			all = append(all, c)
		}
		u.Set("availableCommands", all)
	case `"config_option_update"`:
		v, err := s.hub.Configure(s.id, bellcord.SessionUpdated{})
		if err != nil {
			return update
		}
		s.setAgentOptions(u["configOptions"])
		u.Set("configOptions", s.server.withMode(s.withAgentModes(u["configOptions"]), v))
	default:
		return update
	}
	return u.JSON()
}

// setAgentOptions stores the agent's options as last reported.
func (s *session) setAgentOptions(options json.RawMessage) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.agentOptions = options
}

func (s *session) lastAgentOptions() json.RawMessage {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	return s.agentOptions
}

// isHosted reports whether the session has a hosted agent.
func (s *session) isHosted() bool {
	v, err := s.hub.Configure(s.id, bellcord.SessionUpdated{}) // reads the session, without I/O
	return err == nil && v.Agent != ""
}

// sendChild sends an update of a sub-agent's session.
func (s *session) sendChild(child string, update json.RawMessage) {
	s.addChild(child)
	if s.server.may(bellcord.ScopeRead) {
		s.server.conn.Notify(acp.MethodUpdate, notification{SessionID: child, Update: update})
	}
}

// sendSettings sends the settings of the session after the reply that opened it.
func (s *session) sendSettings() {
	if !s.agentModes() {
		s.sendCommands()
		return
	}
	early := s.takeEarly()
	v, err := s.hub.Configure(s.id, bellcord.SessionUpdated{})
	if err != nil {
		return
	}
	settings := s.server.hostedAgent(v).Settings(s.id)
	for _, update := range early {
		if !slices.ContainsFunc(settings, func(one json.RawMessage) bool { return bytes.Equal(one, update) }) {
			s.update(acp.RawUpdate(s.translated(update)))
		}
	}
	commands := false
	for _, update := range settings {
		commands = commands || string(acp.MembersOf(update)["sessionUpdate"]) == `"available_commands_update"`
		s.update(acp.RawUpdate(s.translated(update)))
	}
	if !commands {
		s.update(acp.AvailableCommandsUpdate{AvailableCommands: ownCommands(nil)})
	}
}

// Request implements HostedClient.
func (c hostedClient) Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	request := c.server.conn.Request(method, params)
	defer context.AfterFunc(ctx, func() { request.Cancel() })()
	var reply json.RawMessage
	err := request.Wait(&reply)
	return reply, err
}

// Notify implements HostedClient.
func (c hostedClient) Notify(method string, params json.RawMessage) {
	c.server.conn.Notify(method, params)
}
