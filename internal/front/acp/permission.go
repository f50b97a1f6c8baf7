package acp

import (
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// askPermission shows a question to the person at the editor and hands the
// choice to the turn. The function it returns closes the dialog: the client is
// told, and nobody waits for what it still says.
func (s *session) askPermission(turn bellcord.TurnID, q bellcord.Question, callID string) func() {
	options := make([]obj, len(q.Choices))
	for i, c := range q.Choices {
		options[i] = obj{"optionId": c.ID, "name": c.Text, "kind": c.Kind}
	}
	params := obj{
		"sessionId": s.id,
		"toolCall":  obj{"toolCallId": callID, "title": q.Text, "status": "pending"},
		"options":   options,
	}
	dialog := s.server.conn.Request("session/request_permission", params)
	s.server.work.Go(func() {
		var result struct {
			Outcome struct {
				Outcome  string `json:"outcome"`
				OptionID string `json:"optionId"`
			} `json:"outcome"`
		}
		err := dialog.Wait(&result)
		switch {
		case err == nil && result.Outcome.Outcome == "selected":
			_ = s.hub.Answer(turn, q.ID, result.Outcome.OptionID, s.server.who()) // too late is no error
		case errors.Is(err, jsonrpc.ErrClosed): // closed by a stop, or nobody is there
		case err == nil || cancelled(err):
			// The client says so only when its turn is cancelled.
			s.hub.Stop(bellcord.StopRequest{Turn: turn, Cause: s.server.cause(bellcord.Person, "permission cancelled"), Queue: bellcord.Next})
		default: // it cannot ask: then nobody allowed it
			_ = s.hub.Answer(turn, q.ID, "reject", "nobody could be asked: "+err.Error())
		}
	})
	return dialog.Cancel
}

func cancelled(err error) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && e.Code == jsonrpc.RequestCancelled
}
