package acp

import (
	"encoding/json"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

type promptParams struct {
	SessionID bellcord.SessionID `json:"sessionId"`
	Prompt    []contentBlock     `json:"prompt"`
}

// prompt accepts a turn: when it returns, a cancel finds it. The follower of
// the session answers once it has seen the turn's end.
func (s *Server) prompt(m jsonrpc.Message) {
	if !m.IsRequest() { // nobody would hear its answer
		return
	}
	p, err := decode[promptParams](m.Params)
	if err != nil {
		s.reply(m.ID, failure(err))
		return
	}
	sess, err := s.session(p.SessionID)
	if err != nil {
		s.reply(m.ID, failure(err))
		return
	}
	said, err := readContent(p.Prompt)
	if err != nil {
		s.reply(m.ID, failure(err))
		return
	}
	if word, rest, is := command(said.Text); is {
		s.obey(m.ID, sess, word, rest)
		return
	}
	s.accept(m.ID, sess, said)
}

// accept makes a turn of what was said, within the limits of every turn.
func (s *Server) accept(request json.RawMessage, sess *session, said bellcord.Prompt) {
	prompt := s.config.Load().Prompt
	prompt.Text, prompt.Images, prompt.Links, prompt.Task = said.Text, said.Images, said.Links, said.Task
	prompt.Turn, prompt.OnDisconnect = bellcord.NewTurnID(), bellcord.StopOnDisconnect
	sess.book.expect(prompt.Turn, request)
	turn, err := sess.hub.Prompt(sess.id, prompt)
	if err != nil {
		sess.book.forget(prompt.Turn)
		s.reply(request, failure(err))
		return
	}
	s.work.Go(func() { sess.watch(turn) })
}

// cancel stops what the session runs and every prompt accepted before.
func (s *Server) cancel(m jsonrpc.Message) {
	defer s.reply(m.ID, answer{result: obj{}}) // it is a notification; who sends it as a request waits
	p, err := decode[struct {
		SessionID bellcord.SessionID `json:"sessionId"`
	}](m.Params)
	if err != nil {
		return
	}
	if sess, err := s.session(p.SessionID); err == nil {
		sess.hub.Stop(bellcord.StopRequest{Session: sess.id, Cause: s.cause(bellcord.Person, "session/cancel"), Queue: bellcord.Drop})
	}
}

// cancelRequest stops the turn of one prompt; those behind it go on.
func (s *Server) cancelRequest(m jsonrpc.Message) {
	defer s.reply(m.ID, answer{result: obj{}})
	p, err := decode[struct {
		RequestID json.RawMessage `json:"requestId"`
	}](m.Params)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sess := range s.sessions {
		if turn := sess.book.turnOf(p.RequestID); turn != "" {
			sess.hub.Stop(bellcord.StopRequest{Turn: turn, Cause: s.cause(bellcord.Person, "$/cancel_request"), Queue: bellcord.Next})
		}
	}
}

// stopReason is a turn's end in ACP's words.
func stopReason(r bellcord.Receipt, finish string) (string, *jsonrpc.Error) {
	switch r.End {
	case bellcord.Stopped:
		switch r.Cause.Kind {
		case bellcord.StepLimit:
			return "max_turn_requests", nil
		case bellcord.Budget:
			return "max_tokens", nil
		case bellcord.Person, bellcord.Deadline, bellcord.Shutdown, bellcord.Replaced, bellcord.Disconnect:
		}
		return "cancelled", nil
	case bellcord.Failed:
		return "", &jsonrpc.Error{Code: jsonrpc.InternalError, Message: r.Error}
	case bellcord.Lost:
		return "", &jsonrpc.Error{Code: jsonrpc.InternalError, Message: "the process that ran the turn died"}
	case bellcord.Done:
	}
	switch finish {
	case "length":
		return "max_tokens", nil
	case "content_filter":
		return "refusal", nil
	}
	return "end_turn", nil
}
