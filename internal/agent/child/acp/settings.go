package acp

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// settings is the second channel: everything about the agent's session that is
// not part of a turn.
type settings struct {
	mu      sync.Mutex
	client  child.Client // nil if no client shows the settings
	reply   json.RawMessage
	updates map[string]json.RawMessage // the last update of each kind of settings that the reply does not contain
}

// settingKinds are the kinds of updates that describe a session's settings. The
// last one of each kind is kept for a client that connects later.
var settingKinds = []string{"available_commands_update", "current_mode_update", "config_option_update"}

// Settings implements child.Controller.
func (s *speaker) Settings() child.Settings {
	s.settings.mu.Lock()
	defer s.settings.mu.Unlock()
	now := child.Settings{Reply: s.settings.reply}
	for _, kind := range settingKinds {
		if update := s.settings.updates[kind]; update != nil {
			now.Updates = append(now.Updates, update)
		}
	}
	return now
}

// Connect implements child.Controller.
func (s *speaker) Connect(c child.Client) {
	s.settings.mu.Lock()
	s.settings.client = c
	s.settings.mu.Unlock()
}

// Request implements child.Controller.
func (s *speaker) Request(ctx context.Context, method string, params json.RawMessage, inSession bool) (json.RawMessage, error) {
	var reply json.RawMessage
	err := s.wire.requestAndWait(ctx, method, s.translated(params, inSession), &reply)
	if len(reply) == 0 {
		reply = json.RawMessage(`{}`)
	}
	switch {
	case err != nil:
	case method == acp.UnstableForkSession:
		s.closeFork(ctx, reply)
	case inSession:
		s.settings.requested(method, params, reply)
	}
	return reply, err
}

// closeFork closes a forked session in the process that forked it, because the
// session may get another process. Some agents do not open a session that
// another process has open.
func (s *speaker) closeFork(ctx context.Context, reply json.RawMessage) {
	var forked acp.CloseSessionRequest
	if acp.Decode(reply, &forked) == nil && forked.SessionID != "" {
		s.closeSession(ctx, forked.SessionID)
	}
}

// Notify implements child.Controller.
func (s *speaker) Notify(method string, params json.RawMessage, inSession bool) {
	s.wire.notify(method, s.translated(params, inSession))
}

// translated returns parameters with the agent's session id in place of the
// client's.
func (s *speaker) translated(params json.RawMessage, inSession bool) any {
	switch {
	case len(params) == 0:
		return struct{}{}
	case !inSession:
		return params
	}
	s.mu.Lock()
	own := s.session
	s.mu.Unlock()
	members := acp.MembersOf(params)
	members.Set("sessionId", own)
	return members
}

func (c *settings) setReply(reply json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reply, c.updates = reply, nil
}

// pass passes an update on to the client. If the update describes settings, they are
// kept: in the reply that opened the session, or else as the update.
func (c *settings) pass(kind string, update json.RawMessage) {
	c.mu.Lock()
	folded := c.fold(kind, acp.MembersOf(update))
	if slices.Contains(settingKinds, kind) && !folded {
		if c.updates == nil {
			c.updates = map[string]json.RawMessage{}
		}
		c.updates[kind] = update
	}
	client := c.client
	c.mu.Unlock()
	if client != nil {
		client.Update(update)
	}
}

// passNotification passes a notification that Bellcord does not handle on to the
// client.
func (s *speaker) passNotification(m jsonrpc.Message) {
	if client := s.settings.connected(); client != nil {
		client.Notify(m.Method, s.forClient(client, m.Params))
	}
}

// forClient returns parameters of the agent with the client's session id in
// place of the agent's.
func (s *speaker) forClient(client child.Client, params json.RawMessage) json.RawMessage {
	var id string
	members := acp.MembersOf(params)
	if json.Unmarshal(members["sessionId"], &id) != nil {
		return params
	}
	if _, ours := s.at(id); !ours {
		return params
	}
	members.Set("sessionId", client.ID())
	return members.JSON()
}

func (c *settings) connected() child.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.client
}
