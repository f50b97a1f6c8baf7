package acp

import (
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// askPermission shows a question about a call to the person at the editor and
// hands the choice to the turn. The function it returns closes the dialog: the client is
// told, and nobody waits for what it still says.
func (s *session) askPermission(turn bellcord.TurnID, q bellcord.Question, toolCall acp.ToolCallUpdate) (withdraw func() bool) {
	params := acp.RequestPermissionRequest{SessionID: string(s.id), ToolCall: toolCall, Options: offered(q.Choices)}
	dialog := s.server.conn.Request(acp.MethodRequestPermission, params)
	s.server.work.Go(func() {
		var result acp.RequestPermissionResponse
		err := dialog.Wait(&result)
		switch {
		case err == nil && result.Outcome.Outcome == acp.OutcomeSelected:
			_ = s.hub.Answer(turn, q.ID, result.Outcome.OptionID, s.server.who()) // too late is no error
		case errors.Is(err, jsonrpc.ErrClosed): // closed by a stop, or nobody is there
		case err == nil || cancelled(err):
			// The client says so only when its turn is cancelled.
			s.hub.Stop(bellcord.StopRequest{Turn: turn, Cause: s.server.cause(bellcord.CausePerson, "permission cancelled"), Queue: bellcord.QueueNext})
		default: // it cannot ask: then nobody allowed it
			_ = s.hub.Answer(turn, q.ID, "reject", "the editor could not ask: "+err.Error())
		}
	})
	return dialog.Cancel
}

// offered is what the editor can choose from. Clients label options by their
// kind and pick one by it, so of several that allow for longer only the first is
// offered: the narrowest.
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
