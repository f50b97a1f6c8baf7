package fakemodel

// Move is the model's answer in one step: a text, tool calls, or both.
type Move struct {
	Text  string
	Calls []MoveCall
}

// MoveCall is a tool call of a Move. Neither the name nor the arguments have to
// be valid, because models also write invalid ones.
type MoveCall struct{ Name, Arguments string }

// WithPlayer makes next decide every answer, in place of the markers in the
// prompt, so that an answer can depend on the results of earlier calls. next
// gets the model's name and the request as it was received. It is called for
// valid requests only, and may be called concurrently.
func WithPlayer(next func(model string, body []byte) Move) Option {
	return func(s *Server) { s.player = next }
}

// script returns the script that sends the move.
func (m Move) script() script {
	sc := newScript(0)
	sc.segments = []segment{{pieces: splitWords(m.Text)}}
	for _, c := range m.Calls {
		sc.calls = append(sc.calls, toolCall{name: c.Name, args: c.Arguments})
	}
	return sc
}
