package acp

import (
	"context"
	"encoding/json"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// steer passes a prompt on to the hosted agent while a turn of the session is
// running. While none is running, the agent would start work that is no turn of
// Bellcord and cannot be stopped: the prompt becomes a turn, or the reply
// requests a prompt.
func (s *Server) steer(m jsonrpc.Message, sess *session) {
	if sess.hub.Working(sess.id) {
		s.later(m, func(ctx context.Context, params json.RawMessage) answer {
			reply, err := s.config.Load().Hosted.Request(ctx, sess.id, acp.UnstableSteering, params)
			return answer{result: reply, err: err}
		})
		return
	}
	p, err := decode[acp.PromptRequest](m.Params)
	if err != nil {
		s.sendReply(m.ID, failure(err))
		return
	}
	steering, _ := p.Meta["steering"].(map[string]any)
	if steering["idleBehavior"] == "promptRequired" {
		s.sendReply(m.ID, answer{result: map[string]string{"outcome": "promptRequired", "reason": "noRunningTurn"}})
		return
	}
	input, err := s.readPrompt(p.Prompt, m.Params, true)
	if err != nil {
		s.sendReply(m.ID, failure(err))
		return
	}
	prompt := s.config.Load().Prompt
	prompt.Text, prompt.Images, prompt.Links, prompt.Blocks = input.Text, input.Images, input.Links, input.Blocks
	prompt.OnDisconnect = sess.onDisconnect()
	if _, err := sess.hub.Prompt(sess.id, prompt); err != nil {
		s.sendReply(m.ID, failure(err))
		return
	}
	s.sendReply(m.ID, answer{result: map[string]string{"outcome": "startedNewTurn"}})
}

// steered reports whether a message is a steering request, and handles it.
func (s *Server) steered(m jsonrpc.Message, sess *session) bool {
	if m.Method != acp.UnstableSteering || sess == nil || !m.IsRequest() {
		return false
	}
	v, err := sess.hub.Configure(sess.id, bellcord.SessionUpdated{})
	if err != nil || s.hostedAgent(v) == nil {
		return false
	}
	if !s.hostedOffers().Meta.Steering.Supported {
		s.sendReply(m.ID, failure(&jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "the agent does not support steering"}))
		return true
	}
	s.steer(m, sess)
	return true
}
