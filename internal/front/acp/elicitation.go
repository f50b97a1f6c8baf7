package acp

import (
	"errors"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/form"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// elicitation is an open elicitation/create request. The request is repeated if
// the editor's values do not fit.
type elicitation struct {
	mu        sync.Mutex
	pending   *jsonrpc.Pending
	withdrawn bool
}

// elicit sends elicitation/create and passes the answer to the turn. It returns
// nil if the editor does not offer it. The returned function is that of
// askPermission.
func (s *session) elicit(turn bellcord.TurnID, q bellcord.Question, call string) (withdraw func() bool) {
	if !s.mayAnswer() {
		return func() bool { return false }
	}
	s.server.mu.Lock()
	offers := s.server.elicits
	s.server.mu.Unlock()
	params := acp.CreateElicitationRequest{SessionID: s.client, ToolCallID: call, Message: q.Text}
	switch {
	case q.URL != "" && bool(offers.URL):
		params.Mode, params.URL, params.ElicitationID = acp.ElicitURL, q.URL, q.ID
	case len(q.Fields) > 0 && bool(offers.Form):
		schema, err := form.Schema(q.Fields)
		if err != nil {
			return nil
		}
		params.Mode, params.RequestedSchema = acp.ElicitForm, schema
	default:
		return nil
	}
	open := &elicitation{pending: s.server.conn.Request(acp.MethodCreateElicitation, params)}
	s.server.work.Go(func() {
		for again := error(nil); ; {
			if again = s.answerElicitation(turn, q, open.current()); again == nil {
				return
			}
			repeated := params
			repeated.Message = again.Error() + "\n\n" + params.Message
			if !open.repeat(s.server.conn, repeated) {
				return
			}
		}
	})
	return open.withdraw
}

func (e *elicitation) current() *jsonrpc.Pending {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pending
}

// repeat sends the request again, unless it has been withdrawn.
func (e *elicitation) repeat(conn *jsonrpc.Conn, params acp.CreateElicitationRequest) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.withdrawn {
		return false
	}
	e.pending = conn.Request(acp.MethodCreateElicitation, params)
	return true
}

// withdraw closes the dialog in the editor, drops a later answer and reports
// whether the dialog was still unanswered.
func (e *elicitation) withdraw() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.withdrawn = true
	return e.pending.Cancel()
}

// answerElicitation waits for the editor's answer and passes it to the turn. It
// returns an error if the values do not fit the question, which is still open.
func (s *session) answerElicitation(turn bellcord.TurnID, q bellcord.Question, pending *jsonrpc.Pending) error {
	var result acp.CreateElicitationResponse
	err := pending.Wait(&result)
	reply, by := bellcord.Reply{Choice: bellcord.ChoiceCancel}, s.server.clientName()
	switch {
	case errors.Is(err, jsonrpc.ErrClosed): // withdrawn, or the connection is closed
		return nil
	case err != nil && !cancelled(err) && !s.rejects(turn):
		return nil
	case err != nil && !cancelled(err): // the editor cannot show it
		reply.Choice, by = bellcord.ChoiceDecline, "the editor could not ask: "+err.Error()
	case err == nil && result.Action == acp.ElicitAccept:
		reply = bellcord.Reply{Choice: bellcord.ChoiceAccept, Values: result.Content}
	case err == nil && result.Action == acp.ElicitDecline:
		reply.Choice = bellcord.ChoiceDecline
	}
	var invalid *bellcord.InvalidReplyError
	if err := s.answerQuestion(turn, q.ID, reply, by); errors.As(err, &invalid) {
		return invalid
	}
	return nil // an answer that comes too late is no error
}
