package acp

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/front/acp/updates"
	"github.com/bellcord/bellcord/internal/jsonrpc"
	"github.com/bellcord/bellcord/internal/visible"
)

// askPermission opens a dialog for a question about a call and passes the
// choice to the turn. The returned function closes the dialog in the editor,
// drops a later answer and reports whether the dialog was still unanswered.
func (s *session) askPermission(turn bellcord.TurnID, q bellcord.Question, toolCall acp.ToolCallUpdate) (withdraw func() bool) {
	params := acp.RequestPermissionRequest{
		SessionID: s.client, ToolCall: toolCall, Options: offered(q, s.scopes(), s.isHosted()), Meta: questionMeta(turn, q),
	}
	dialog := s.server.conn.Request(acp.MethodRequestPermission, s.view.permission(params))
	s.server.work.Go(func() {
		var result acp.RequestPermissionResponse
		err := dialog.Wait(&result)
		switch {
		case err == nil && result.Outcome.Outcome == acp.OutcomeSelected:
			_ = s.answerQuestion(turn, q.ID, updates.ChosenReply(q, result.Outcome.OptionID), s.server.clientName()) // an answer that comes too late is no error
		case errors.Is(err, jsonrpc.ErrClosed): // withdrawn, or the connection is closed
		case err == nil || cancelled(err):
			s.view.dismissed(turn, q)
		case s.rejects(turn): // the editor cannot show dialogs
			_ = s.answerQuestion(turn, q.ID, rejection(q), "the editor could not ask: "+err.Error())
		}
	})
	return dialog.Cancel
}

// questionMeta returns the _meta of a question: the agent's, and the ids of the
// turn and the question, which stay the same on every connection.
func questionMeta(turn bellcord.TurnID, q bellcord.Question) acp.Meta {
	meta := acp.Meta{}
	_ = json.Unmarshal(q.Meta, &meta) // empty if there is none
	meta["bellcord/turn"], meta["bellcord/question"] = turn, q.ID
	return meta
}

// offered returns the options for the editor. Clients label and select options
// by kind, so of several allow_always choices only the first, the narrowest, is
// offered. Those of a hosted agent are passed on as they are.
//
// A client that lacks the scope that the question requires can only reject.
func offered(q bellcord.Question, scopes []bellcord.Scope, hosted bool) []acp.PermissionOption {
	options := []acp.PermissionOption{}
	always := false
	choices := q.ChoicesFor(scopes)
	for _, c := range choices {
		if len(choices) < len(q.Choices) {
			c.Text += fmt.Sprintf(" (only a person with the scope %s can allow it)", q.Requires)
		}
		kind := acp.PermissionOptionKind(c.Kind)
		if kind == acp.AllowAlways && always && !hosted {
			continue
		}
		always = always || kind == acp.AllowAlways
		options = append(options, acp.PermissionOption{OptionID: c.ID, Name: visible.Text(c.Text), Kind: kind, Meta: c.Meta})
	}
	return options
}

// rejects reports whether an editor that cannot show a dialog rejects the question:
// only if the turn is its own. A question of another window's turn stays open there.
func (s *session) rejects(turn bellcord.TurnID) bool {
	return s.book.has(turn) || s.server.config.Load().Network == nil && s.runsHere(turn)
}

// rejection returns the answer for an editor that cannot show a dialog.
func rejection(q bellcord.Question) bellcord.Reply {
	if q.HasForm() {
		return bellcord.Reply{Choice: bellcord.ChoiceDecline}
	}
	return bellcord.Reply{Choice: "reject"}
}

func cancelled(err error) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && e.Code == jsonrpc.RequestCancelled
}
