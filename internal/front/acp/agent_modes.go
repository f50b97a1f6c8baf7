package acp

import (
	"context"
	"encoding/json"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// agentModeOption is the id of the option that represents a hosted agent's modes
// to a client of version 2, which has no modes.
const agentModeOption = "agent_mode"

// keepModes stores the modes of a hosted agent's reply, if the client gets them
// as an option. An agent whose options include its mode needs no other one.
func (s *session) keepModes(reply acp.Members) {
	if !s.view.modesAsOption() {
		return
	}
	var modes acp.SessionModeState
	var options []acp.SessionConfigOption
	_ = json.Unmarshal(reply["configOptions"], &options) // absent if the agent has none
	for _, o := range options {
		if o.Category == "mode" {
			return
		}
	}
	if acp.Decode(reply["modes"], &modes) != nil || len(modes.AvailableModes) == 0 {
		return
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.modes = &modes
}

// withAgentModes adds a hosted agent's modes to its options.
func (s *session) withAgentModes(options json.RawMessage) json.RawMessage {
	s.server.mu.Lock()
	modes := s.modes
	s.server.mu.Unlock()
	if modes == nil {
		return options
	}
	all := []any{}
	var agents []json.RawMessage
	_ = json.Unmarshal(options, &agents) // absent if the agent has none
	for _, o := range agents {
		all = append(all, o)
	}
	choices := make([]acp.SessionConfigSelectOption, len(modes.AvailableModes))
	for i, m := range modes.AvailableModes {
		choices[i] = acp.SessionConfigSelectOption{Value: m.ID, Name: m.Name, Description: m.Description}
	}
	return acp.Encode(append(all, acp.SessionConfigOption{ID: agentModeOption, Name: "Mode", Category: "mode", Type: "select", CurrentValue: modes.CurrentModeID, Options: choices}))
}

// agentModeChanged stores the agent's current mode.
func (s *session) agentModeChanged(id string) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.modes != nil {
		changed := *s.modes
		changed.CurrentModeID = id
		s.modes = &changed
	}
}

// setAgentMode passes a change of the option on to the hosted agent as a change
// of its mode.
func (s *session) setAgentMode(ctx context.Context, params json.RawMessage) answer {
	p, err := decode[acp.SetSessionConfigOptionRequest](params)
	if err != nil {
		return failure(err)
	}
	request := acp.Encode(acp.SetSessionModeRequest{SessionID: p.SessionID, ModeID: p.Value})
	if _, err := s.server.config.Load().Hosted.Request(ctx, s.id, acp.MethodSetMode, request); err != nil {
		return failure(passError(err))
	}
	s.agentModeChanged(p.Value)
	v, err := s.hub.Configure(s.id, bellcord.SessionUpdated{})
	return answer{result: map[string]any{"configOptions": s.server.withMode(s.withAgentModes(s.lastAgentOptions()), v)}, err: err}
}
