// Package updates converts the events of a session's log to the session updates
// of version 1 of the Agent Client Protocol. It is the only reader of the log in
// the front for editors. It has no connection: what it needs from the client is
// in Client.
package updates

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/acp/blocks"
	"github.com/bellcord/bellcord/internal/visible"
)

// Client is the client of one session, as an Encoder needs it.
type Client struct {
	// Send sends an update, and SendChild one of a sub-agent's session.
	Send      func(update acp.Update)
	SendChild func(session string, update json.RawMessage)
	// RequestPermission and Elicit open a dialog for a question. The returned
	// function closes the dialog and reports whether it was still unanswered.
	// Elicit returns nil if the client shows no forms.
	RequestPermission func(turn bellcord.TurnID, q bellcord.Question, toolCall acp.ToolCallUpdate) (withdraw func() bool)
	Elicit            func(turn bellcord.TurnID, q bellcord.Question, call string) (withdraw func() bool)

	Options    func() acp.Update        // the session's current settings; nil if it was closed
	AgentModes func() bool              // the modes are the hosted agent's
	Dir        func() string            // the session's directory
	Size       func(model string) int64 // context size of a model, in tokens
	Shows      Shows
	Hosted     bool               // the session has a hosted agent
	Stopped    acp.ToolCallStatus // of a call that a stop ended
}

// Encoder converts events to session updates. It keeps track of open calls,
// because ACP requires an end for each and replaces a call's content as a
// whole. Its methods must not be called concurrently.
type Encoder struct {
	Client
	// Replaying means that history is sent: no dialogs are opened.
	Replaying bool

	seen
}

// New returns an Encoder that has read no event.
func New(c Client) *Encoder { return &Encoder{Client: c, seen: newSeen()} }

// seen is the state derived from the events so far.
type seen struct {
	prompts map[bellcord.TurnID]bellcord.Prompt // prompts of turns that have not started
	turn    bellcord.TurnID                     // the running turn, or the last one
	hasText bool                                // it has produced text
	scans   bool                                // it waits for a scan, and the client shows that
	model   string                              // model of its last step
	step    int64                               // sequence number at which its last step started
	finish  bellcord.Finish                     // finish reason of its last step
	calls   []*shownCall
	ids     map[string]bool // ids of a hosted agent's calls so far
	reply   json.RawMessage // members of the agent's reply
	dialogs []dialog        // open permission dialogs
	bill    bill
}

func newSeen() seen {
	return seen{prompts: map[bellcord.TurnID]bellcord.Prompt{}, ids: map[string]bool{}}
}

// Restart discards what was derived from the events. Open dialogs are kept.
func (e *Encoder) Restart() {
	dialogs := e.dialogs
	e.seen = newSeen()
	e.dialogs = dialogs
}

// Inherit takes over what another Encoder has derived from the same events, with
// its open dialogs.
func (e *Encoder) Inherit(from *Encoder) { e.seen = from.seen }

// Finish returns the finish reason of the last step of the running or last turn.
func (e *Encoder) Finish() bellcord.Finish { return e.finish }

// Reply returns the other members of the hosted agent's reply to that turn's
// prompt, or nil.
func (e *Encoder) Reply() json.RawMessage { return e.reply }

// AddCost adds the cost of turns whose events are not read, in billionths of a
// US dollar.
func (e *Encoder) AddCost(nanoUSD int64) { e.bill.ended += nanoUSD }

// HasDialog reports whether a question is open in the client.
func (e *Encoder) HasDialog(question string) bool {
	return slices.ContainsFunc(e.dialogs, func(d dialog) bool { return d.question.ID == question })
}

// Event sends the updates of an event.
func (e *Encoder) Event(ev bellcord.Event) {
	e.bill.read(ev.Body)
	switch b := ev.Body.(type) {
	case bellcord.TurnAccepted:
		e.prompts[ev.Turn] = b.Prompt // shown by beginTurn
	case bellcord.TextDelta:
		e.hasText = e.hasText || b.Text != ""
		if b.Text != "" {
			e.Send(acp.AgentMessageChunk{Content: acp.Text(b.Text), MessageID: e.messageID(b.Message, "answer"), Meta: b.Meta})
		}
	case bellcord.ThinkingDelta:
		if b.Text != "" {
			e.Send(acp.AgentThoughtChunk{Content: acp.Text(b.Text), MessageID: e.messageID(b.Message, "thinking"), Meta: b.Meta})
		}
	case bellcord.StepStarted:
		e.calls, e.model, e.step = nil, b.Model, ev.Seq
	case bellcord.ToolCallRequested:
		e.called(ev, b)
	case bellcord.ToolCallUpdated:
		e.updated(b)
	case bellcord.PlanUpdated:
		e.planned(b)
	case bellcord.AgentUpdate:
		e.passed(b)
	case bellcord.MessageImported:
		e.imported(b)
	case bellcord.UsageReported:
		if b.Context != nil {
			e.contextUsed(*b.Context)
		}
	case bellcord.ToolCallStarted:
		if c := e.open(b.Call); c != nil {
			e.Send(acp.ToolCallUpdate{ToolCallID: c.id, Status: acp.CallInProgress})
		}
	case bellcord.ToolOutputDelta:
		if c := e.open(b.Call); c != nil {
			e.printed(c, b.Text)
		}
	case bellcord.ToolCallEnded:
		e.callEnded(b)
	case bellcord.QuestionOpened:
		e.OpenDialog(ev.Turn, b.Question)
	case bellcord.QuestionAnswered:
		e.closeDialog(b)
	case bellcord.PromptEdited:
		prompt := e.prompts[ev.Turn] // empty for the client's own prompt: the client shows the old text
		prompt.Text, prompt.Blocks = b.Text, nil
		e.prompts[ev.Turn] = prompt
	case bellcord.StepEnded:
		e.finish, e.reply = b.Finish, b.AgentReply
		if b.Usage != nil && !e.Hosted { // a hosted agent reports how full its context is
			e.used(*b.Usage)
		}
	case bellcord.SessionUpdated:
		e.configured(ev, b)
	case bellcord.TurnStarted:
		e.turn, e.hasText, e.scans, e.finish, e.reply = ev.Turn, false, false, "", nil
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
	case bellcord.FilesScanned:
		e.scanned(b)
	case bellcord.ConversationCompacted:
		e.compacted(ev, b)
	case bellcord.ProcessesRecovered:
		e.recovered(b)
	case bellcord.CustomEvent, bellcord.AttachmentLoaded, bellcord.ContextAdded, bellcord.ThinkingSigned, bellcord.ConversationCleared, bellcord.ConversationRewound, bellcord.AnswerForwarded,
		bellcord.AgentSessionOpened, bellcord.ProcessConfirmed, bellcord.ChangesRecorded, bellcord.Undone,
		bellcord.UnknownEvent, bellcord.SideRequestStarted, bellcord.SideRequestEnded: // not shown to the user
	}
}

// beginTurn shows the prompt of a turn, unless the client sent it. The prompt
// of a turn that was stopped in the queue is shown when the turn ends. Other
// tasks, such as a compaction, show no prompt.
func (e *Encoder) beginTurn(turn bellcord.TurnID) {
	prompt := e.prompts[turn]
	delete(e.prompts, turn)
	if prompt.Task != bellcord.TaskAnswer {
		return
	}
	if len(prompt.Blocks) > 0 {
		for _, b := range prompt.Blocks {
			e.Send(acp.RawChunk(acp.UserMessageChunk{}, blocks.Compose(b, prompt)))
		}
		return
	}
	for _, image := range prompt.Images {
		e.Send(acp.UserMessageChunk{Content: acp.Image(image.Type, base64.StdEncoding.EncodeToString(image.Data))})
	}
	if prompt.Text != "" {
		e.Send(acp.UserMessageChunk{Content: acp.Text(prompt.Text)})
	}
	for _, f := range prompt.Files {
		e.Send(acp.UserMessageChunk{Content: blocks.File(f)})
	}
}

func (e *Encoder) writeText(text string) {
	if text != "" {
		e.Send(acp.AgentMessageChunk{Content: acp.Text(text)})
	}
}

func (e *Encoder) think(text string) {
	if text != "" {
		e.Send(acp.AgentThoughtChunk{Content: acp.Text(text)})
	}
}

func (e *Encoder) configured(ev bellcord.Event, b bellcord.SessionUpdated) {
	if b.Title != "" {
		e.Send(acp.SessionInfoUpdate{Title: visible.Text(b.Title), UpdatedAt: ev.Time.UTC().Format(acp.TimeFormat)})
	}
	if b.Mode != "" && !e.AgentModes() {
		e.Send(acp.CurrentModeUpdate{CurrentModeID: b.Mode})
	}
	if b.Mode == "" && b.Model == "" && b.Effort == "" {
		return
	}
	if options := e.Options(); options != nil {
		e.Send(options)
	}
}

// messageID returns the id of the message that a chunk belongs to: the hosted
// agent's or, for the built-in agent, one that a replay repeats. The answer and
// the thinking of a step are one message each. It returns "" if the step is
// unknown, because the client resumed in the middle of it.
func (e *Encoder) messageID(agents, part string) string {
	if e.Hosted || e.step == 0 || agents != "" {
		return agents
	}
	return part + "-" + strconv.FormatInt(e.step, 10)
}
