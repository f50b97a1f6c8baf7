package acp

import (
	"encoding/base64"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// encoder converts events to session updates. It keeps track of open calls,
// because ACP requires an end for each and replaces a call's content as a
// whole.
type encoder struct {
	send              func(update acp.Update)
	requestPermission func(turn bellcord.TurnID, q bellcord.Question, toolCall acp.ToolCallUpdate) (withdraw func() bool)
	options           func() []acp.SessionConfigOption // the session's current settings
	dir               func() string                    // the session's directory
	size              func(model string) int64         // context size of a model, in tokens

	seen
	replaying bool // sending history: no dialogs are opened
}

// seen is the state derived from the events so far.
type seen struct {
	prompts map[bellcord.TurnID]bellcord.Prompt // prompts of turns that have not started
	turn    bellcord.TurnID                     // the running turn, or the last one
	hasText bool                                // it has produced text
	model   string                              // model of its last step
	finish  bellcord.Finish                     // finish reason of its last step
	calls   []*shownCall
	dialogs []dialog // open permission dialogs
	bill    bill
}

func (e *encoder) event(ev bellcord.Event) {
	e.bill.read(ev.Body)
	switch b := ev.Body.(type) {
	case bellcord.TurnAccepted:
		e.prompts[ev.Turn] = b.Prompt // shown by beginTurn
	case bellcord.TextDelta:
		e.hasText = e.hasText || b.Text != ""
		e.writeText(b.Text)
	case bellcord.ThinkingDelta:
		e.think(b.Text)
	case bellcord.StepStarted:
		e.calls, e.model = nil, b.Model
	case bellcord.ToolCallRequested:
		e.called(ev, b)
	case bellcord.ToolCallStarted:
		if c := e.open(b.Call); c != nil {
			e.send(acp.ToolCallUpdate{ToolCallID: c.id, Status: acp.CallInProgress})
		}
	case bellcord.ToolOutputDelta:
		if c := e.open(b.Call); c != nil {
			c.output = lastBytes(c.output+b.Text, mostOutput)
			e.send(acp.ToolCallUpdate{ToolCallID: c.id, Content: []acp.ToolCallContent{acp.TextContent(c.output)}})
		}
	case bellcord.ToolCallEnded:
		e.callEnded(b)
	case bellcord.QuestionOpened:
		e.openDialog(ev.Turn, b.Question)
	case bellcord.QuestionAnswered:
		e.closeDialog(b)
	case bellcord.PromptEdited:
		prompt := e.prompts[ev.Turn] // empty for the client's own prompt: the client shows the old text
		prompt.Text = b.Text
		e.prompts[ev.Turn] = prompt
	case bellcord.StepEnded:
		e.finish = b.Finish
		if b.Usage != nil {
			e.used(*b.Usage)
		}
	case bellcord.SessionUpdated:
		e.configured(ev, b)
	case bellcord.TurnStarted:
		e.turn, e.hasText, e.finish = ev.Turn, false, ""
		e.beginTurn(ev.Turn)
	case bellcord.TurnEnded:
		e.beginTurn(ev.Turn)
		if ev.Turn == e.turn {
			e.ended(b.Receipt)
			e.bill.running = 0
		}
	case bellcord.StopRequested:
		if ev.Turn == e.turn && b.Cause.Mode != bellcord.StopAfterStep {
			e.closeDialogs(ev.Turn)
		}
	case bellcord.ModelRetryScheduled:
		e.retrying(b)
	case bellcord.ConversationCompacted:
		e.compacted(b)
	case bellcord.AttachmentLoaded, bellcord.UsageReported, bellcord.ThinkingSigned, bellcord.ConversationCleared,
		bellcord.AgentSessionOpened, bellcord.ProcessConfirmed, bellcord.SideRequestStarted, bellcord.SideRequestEnded: // not shown to the user
	}
}

// beginTurn shows the prompt of a turn, unless the client sent it. The prompt
// of a turn that was stopped in the queue is shown when the turn ends. Other
// tasks, such as a compaction, show no prompt.
func (e *encoder) beginTurn(turn bellcord.TurnID) {
	prompt := e.prompts[turn]
	delete(e.prompts, turn)
	if prompt.Task != bellcord.TaskAnswer {
		return
	}
	for _, image := range prompt.Images {
		e.send(acp.UserMessageChunk{Content: acp.Image(image.Type, base64.StdEncoding.EncodeToString(image.Data))})
	}
	if prompt.Text != "" {
		e.send(acp.UserMessageChunk{Content: acp.Text(prompt.Text)})
	}
}

func (e *encoder) writeText(text string) {
	if text != "" {
		e.send(acp.AgentMessageChunk{Content: acp.Text(text)})
	}
}

func (e *encoder) think(text string) {
	if text != "" {
		e.send(acp.AgentThoughtChunk{Content: acp.Text(text)})
	}
}

func (e *encoder) configured(ev bellcord.Event, b bellcord.SessionUpdated) {
	if b.Title != "" {
		e.send(acp.SessionInfoUpdate{Title: b.Title, UpdatedAt: ev.Time.UTC().Format(timeFormat)})
	}
	if b.Mode != "" {
		e.send(acp.CurrentModeUpdate{CurrentModeID: b.Mode})
	}
	if options := e.options(); options != nil && (b.Mode != "" || b.Model != "") {
		e.send(acp.ConfigOptionUpdate{ConfigOptions: options})
	}
}

const timeFormat = "2006-01-02T15:04:05.000Z"
