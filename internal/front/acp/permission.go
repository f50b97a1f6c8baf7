package acp

import (
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// askPermission opens a dialog for a question about a call and passes the
// choice to the turn. The returned function closes the dialog in the editor,
// drops a later answer and reports whether the dialog was still unanswered.
func (s *session) askPermission(turn bellcord.TurnID, q bellcord.Question, toolCall acp.ToolCallUpdate) (withdraw func() bool) {
	params := acp.RequestPermissionRequest{SessionID: string(s.id), ToolCall: toolCall, Options: offered(q.Choices)}
	dialog := s.server.conn.Request(acp.MethodRequestPermission, params)
	s.server.work.Go(func() {
		var result acp.RequestPermissionResponse
		err := dialog.Wait(&result)
		switch {
		case err == nil && result.Outcome.Outcome == acp.OutcomeSelected:
			_ = s.hub.Answer(turn, q.ID, result.Outcome.OptionID, s.server.clientName()) // an answer that comes too late is no error
		case errors.Is(err, jsonrpc.ErrClosed): // withdrawn, or the connection is closed
		case err == nil || cancelled(err):
			// A client reports this only when it cancels the turn.
			s.hub.Stop(bellcord.StopRequest{Turn: turn, Cause: s.server.cause(bellcord.CausePerson, "permission cancelled"), Queue: bellcord.QueueNext})
		default: // the editor cannot show dialogs: reject
			_ = s.hub.Answer(turn, q.ID, "reject", "the editor could not ask: "+err.Error())
		}
	})
	return dialog.Cancel
}

// offered returns the options for the editor. Clients label and select options
// by kind, so of several allow_always choices only the first, the narrowest, is
// offered.
func offered(choices []bellcord.Choice) []acp.PermissionOption {
	options := []acp.PermissionOption{}
	always := false
	for _, c := range choices {
		kind := acp.PermissionOptionKind(c.Kind)
		if kind == acp.AllowAlways && always {
			continue
		}
		always = always || kind == acp.AllowAlways
		options = append(options, acp.PermissionOption{OptionID: c.ID, Name: c.Text, Kind: kind})
	}
	return options
}

func cancelled(err error) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && e.Code == jsonrpc.RequestCancelled
}
