package acp

import (
	"bytes"
	"encoding/json"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// choose applies the choices in the _meta of session/new, load and resume.
func (s *session) choose(meta acp.Meta) {
	switch meta["bellcord/onDisconnect"] {
	case "stop":
		s.stopsAlone = true
	case "continue":
		s.stopsAlone = false
	}
}

// onDisconnect returns what happens to the session's turns when their clients
// have disconnected. On stdio they are stopped.
func (s *session) onDisconnect() bellcord.OnDisconnect {
	if s.server.config.Load().Network == nil || s.stopsAlone {
		return bellcord.StopOnDisconnect
	}
	return ""
}

// bindToViewers makes the turn of a prompt depend on the session's viewers if
// the session has chosen that.
func (s *session) bindToViewers(p bellcord.Prompt) {
	if network := s.server.config.Load().Network; network != nil && p.OnDisconnect == bellcord.StopOnDisconnect {
		network.Bind(s.id, p.Turn)
	}
}

func (s *session) startWatching() {
	if network := s.server.config.Load().Network; network != nil {
		s.leave = network.Watch(s.id)
	}
}

// stopWatching ends the watch. Further calls have no effect.
func (s *session) stopWatching() {
	s.server.mu.Lock()
	leave := s.leave
	s.leave = nil
	s.server.mu.Unlock()
	if leave != nil {
		leave()
	}
}

// requestPermission opens a dialog, unless the client may not see or answer the
// question.
func (s *session) requestPermission(turn bellcord.TurnID, q bellcord.Question, call acp.ToolCallUpdate) (withdraw func() bool) {
	if !s.mayAnswer() {
		return func() bool { return false }
	}
	return s.askPermission(turn, q, call)
}

// mayAnswer reports whether the client may see and answer questions.
func (s *session) mayAnswer() bool {
	return s.server.may(bellcord.ScopeRead) && s.server.may(bellcord.ScopePrompt)
}

// scopes returns the scopes that answers need beyond those of mayAnswer. A person
// at the machine itself has all.
func (s *session) scopes() []bellcord.Scope {
	if s.server.may(bellcord.ScopeAdmin) {
		return []bellcord.Scope{bellcord.ScopeAdmin}
	}
	return nil
}

// answerQuestion passes an answer to the turn.
func (s *session) answerQuestion(turn bellcord.TurnID, question string, r bellcord.Reply, by string) error {
	network := s.server.config.Load().Network
	if network == nil {
		r.Scopes = s.scopes()
		return s.hub.Answer(turn, question, r, by)
	}
	if err := network.Allow(bellcord.ScopePrompt); err != nil {
		return err
	}
	return network.Answer(turn, question, r, by)
}

// earlyCancels contains the ids of requests whose $/cancel_request arrived
// first. The caller must hold Server.mu.
type earlyCancels []json.RawMessage

// mostEarly limits how many early cancels are kept; the oldest is dropped.
const mostEarly = 64

func (e *earlyCancels) keep(request json.RawMessage) {
	if len(*e) >= mostEarly {
		*e = (*e)[1:]
	}
	*e = append(*e, request)
}

func (e *earlyCancels) take(request json.RawMessage) bool {
	for i, kept := range *e {
		if bytes.Equal(kept, request) {
			*e = append((*e)[:i:i], (*e)[i+1:]...)
			return true
		}
	}
	return false
}

// applyEarlyCancel stops a turn before it starts if its $/cancel_request has
// already arrived.
func (s *Server) applyEarlyCancel(request json.RawMessage, sess *session, turn bellcord.TurnID) {
	s.mu.Lock()
	cancelled := s.early.take(request)
	s.mu.Unlock()
	if cancelled {
		sess.hub.Stop(bellcord.StopRequest{Turn: turn, Cause: s.cause(bellcord.CausePerson, acp.MethodCancelRequest), Queue: bellcord.QueueNext})
	}
}
