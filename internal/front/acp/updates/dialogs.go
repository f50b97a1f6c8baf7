package updates

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/visible"
)

// dialog is a question that is open in the editor.
type dialog struct {
	turn     bellcord.TurnID
	question bellcord.Question
	call     string      // the placeholder call of a question without a tool call
	withdraw func() bool // closes the dialog; reports whether it was still unanswered
}

// OpenDialog opens a dialog for a question, except in a replay. ACP supports only
// questions about tool calls, so a question without a call gets a placeholder
// call.
func (e *Encoder) OpenDialog(turn bellcord.TurnID, q bellcord.Question) {
	if q.HasForm() {
		e.openForm(turn, q)
		return
	}
	about := e.open(q.Call)
	if about != nil && len(q.Changes) > 0 {
		about.changes = q.Changes
	}
	if e.Replaying {
		return
	}
	d := dialog{turn: turn, question: q}
	if about == nil {
		about = e.placeholder(&d, q)
	}
	d.withdraw = e.RequestPermission(turn, q, e.wholeCall(about, q))
	e.dialogs = append(e.dialogs, d)
}

// placeholder shows a call for a question that belongs to none.
func (e *Encoder) placeholder(d *dialog, q bellcord.Question) *shownCall {
	d.call = "question-" + q.ID
	e.Send(acp.ToolCall{ToolCallID: d.call, Title: visible.Text(q.Text), Kind: acp.ToolOther, Status: acp.CallPending})
	return &shownCall{id: d.call, kind: toolKind(q.Tool), now: bellcord.ToolCallRequested{Arguments: q.Arguments}}
}

// wholeCall returns the call that a question is about, with everything that it
// would do: its arguments, and the changes to files as diffs.
func (e *Encoder) wholeCall(c *shownCall, q bellcord.Question) acp.ToolCallUpdate {
	if e.Hosted && c.call != "" && q.Tool == "" {
		return acp.ToolCallUpdate{
			ToolCallID: c.id, Title: visible.Text(cmp.Or(c.now.Title, q.Text)), Name: c.now.Name, Kind: c.kind, Status: acp.CallPending, RawInput: rawInput(c.now),
			Locations: locations(c.now.Locations), Content: append(e.viewed(c), c.text(c.output)...), Meta: e.viewMeta(c),
		}
	}
	text := visible.Text(q.Text)
	first, _, _ := strings.Cut(text, "\n")
	call := acp.ToolCallUpdate{ToolCallID: c.id, Title: first, Status: acp.CallPending, Kind: c.kind, RawInput: q.Arguments}
	if len(call.RawInput) == 0 {
		call.RawInput = c.now.Arguments
	}
	call.Content = diffs(q.Changes)
	if len(q.Changes) == 0 {
		call.Content = []acp.ToolCallContent{acp.TextContent(text)}
	}
	for _, change := range q.Changes {
		call.Locations = append(call.Locations, acp.ToolCallLocation{Path: change.Path})
	}
	return call
}

// closeDialog closes the dialog of an answered question. If the question was
// answered elsewhere, the answer is shown.
func (e *Encoder) closeDialog(b bellcord.QuestionAnswered) {
	i := slices.IndexFunc(e.dialogs, func(d dialog) bool { return d.question.ID == b.Question })
	if i < 0 {
		return
	}
	d := e.dialogs[i]
	e.dialogs = slices.Delete(e.dialogs, i, i+1)
	elsewhere := d.withdraw()
	chosen := choiceText(d.question, b.Choice)
	e.endQuestion(d, acp.CallCompleted, chosen)
	switch {
	case elsewhere && b.Choice == bellcord.ChoiceWithdrawn:
		e.think("The question is no longer open.\n")
	case elsewhere:
		by := ""
		if b.By != "" {
			by = " by " + b.By
		}
		e.think("Answered elsewhere" + by + ": " + chosen + ".\n")
	}
}

// closeDialogs withdraws the dialogs of one turn. Other turns keep theirs: a
// replay passes the ends of earlier turns while the running turn waits for an
// answer.
func (e *Encoder) closeDialogs(turn bellcord.TurnID) {
	e.dialogs = slices.DeleteFunc(e.dialogs, func(d dialog) bool {
		if d.turn == turn {
			d.withdraw()
			e.endQuestion(d, e.Stopped, "[withdrawn without an answer]")
		}
		return d.turn == turn
	})
}

// endQuestion ends the placeholder call of a question, if it has one.
func (e *Encoder) endQuestion(d dialog, status acp.ToolCallStatus, text string) {
	if d.call != "" {
		e.Send(acp.ToolCallUpdate{ToolCallID: d.call, Status: status, Content: []acp.ToolCallContent{acp.TextContent(text)}})
	}
}

func choiceText(q bellcord.Question, choice string) string {
	for _, c := range q.Choices {
		if c.ID == choice {
			return c.Text
		}
	}
	return choice
}
