package acp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// pass passes a message that Bellcord does not handle on to the hosted agent.
// It reports whether there is one.
func (s *Server) pass(m jsonrpc.Message) bool {
	c := s.config.Load()
	if c.Hosted == nil || c.Network != nil {
		return false
	}
	var p struct {
		SessionID string `json:"sessionId"`
	}
	_ = json.Unmarshal(m.Params, &p) // some methods have no session
	sess, _ := s.session(p.SessionID)
	if s.steered(m, sess) {
		return true
	}
	switch {
	case m.IsRequest() && !isObject(m.Params): // goose never answers it
		s.sendReply(m.ID, failure(invalid("params: expected an object")))
	case !m.IsRequest() && sess != nil:
		c.Hosted.Notify(sess.id, m.Method, m.Params, true)
	case !m.IsRequest():
		s.passToParent(p.SessionID, m)
	default:
		s.later(m, func(ctx context.Context, params json.RawMessage) answer {
			id := bellcord.SessionID("")
			if sess != nil {
				id = sess.id
			}
			reply, err := c.Hosted.Request(ctx, id, m.Method, params)
			return answer{result: reply, err: err}
		})
	}
	return true
}

// isObject reports whether parameters are an object, or absent.
func isObject(params json.RawMessage) bool {
	var object map[string]json.RawMessage
	return len(params) == 0 || json.Unmarshal(params, &object) == nil
}

// passToParent passes a notification about the session of a sub-agent on to the
// agent of the session that started the sub-agent. It reports whether there is
// such a session.
func (s *Server) passToParent(child string, m jsonrpc.Message) bool {
	s.mu.Lock()
	parent := s.children[child]
	s.mu.Unlock()
	hosted := s.config.Load().Hosted
	if parent == "" || hosted == nil {
		return false
	}
	hosted.Notify(parent, m.Method, m.Params, false)
	return true
}

// addChild records which session started a sub-agent.
func (s *session) addChild(child string) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.server.children == nil {
		s.server.children = map[string]bellcord.SessionID{}
	}
	s.server.children[child] = s.id
}

// passError returns the error of a hosted agent as the agent sent it.
func passError(err error) error {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return e
	}
	return err
}
