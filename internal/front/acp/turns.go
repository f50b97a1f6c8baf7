package acp

import (
	"encoding/json"
	"strings"

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
	text, err := promptText(p.Prompt)
	if err != nil {
		s.reply(m.ID, failure(err))
		return
	}
	if word, rest, is := command(text); is {
		s.reply(m.ID, s.obey(sess, word, rest))
		return
	}
	prompt := s.config.Prompt
	prompt.Turn, prompt.Text, prompt.OnDisconnect = bellcord.NewTurnID(), text, bellcord.StopOnDisconnect
	sess.book.expect(prompt.Turn, m.ID)
	turn, err := sess.hub.Prompt(sess.id, prompt)
	if err != nil {
		sess.book.forget(prompt.Turn)
		s.reply(m.ID, failure(err))
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

type contentBlock struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Resource *struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	} `json:"resource"`
}

// promptText is what the model is told of a prompt's content.
func promptText(blocks []contentBlock) (string, error) {
	var parts []string
	for _, b := range blocks {
		switch b.Type {
		case "text":
			parts = append(parts, b.Text)
		case "resource_link":
			parts = append(parts, "["+b.Name+"]("+b.URI+")")
		case "resource":
			if b.Resource == nil || b.Resource.Text == "" {
				return "", invalid("prompt: only text resources are understood")
			}
			parts = append(parts, "<resource uri=\""+b.Resource.URI+"\">\n"+b.Resource.Text+"\n</resource>")
		default:
			return "", invalid("prompt: content of type " + b.Type + " is not understood")
		}
	}
	text := strings.Join(parts, "\n")
	if strings.TrimSpace(text) == "" {
		return "", invalid("prompt: it is empty")
	}
	return text, nil
}
