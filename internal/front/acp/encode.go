package acp

import (
	"slices"

	"github.com/bellcord/bellcord"
)

// encoder turns events into session updates. It remembers the calls that are
// open, because ACP wants an end for each, and replaces a call's content as a
// whole.
type encoder struct {
	send    func(update any)
	ask     func(bellcord.TurnID, bellcord.Question, string) func()
	options func() []obj             // the session's settings as they are now
	size    func(model string) int64 // of its context

	seen
	replaying bool // history: nobody is asked
}

// seen is what has to be remembered of the events so far.
type seen struct {
	prompts map[bellcord.TurnID]bellcord.Prompt // of turns that have not started
	turn    bellcord.TurnID                     // the one that runs, or ran last
	spoke   bool                                // it has said something
	model   string                              // of its last step
	finish  string                              // why the model ended its last answer
	calls   []*shownCall
	dialogs []dialog // for permissions, that are open
	bill    bill
}

type dialog struct {
	turn  bellcord.TurnID
	close func()
}

type obj = map[string]any

func (e *encoder) event(ev bellcord.Event) {
	e.bill.read(ev.Body)
	switch b := ev.Body.(type) {
	case bellcord.Prompted:
		e.prompts[ev.Turn] = b.Prompt // shown where the conversation has it
	case bellcord.Said:
		e.spoke = e.spoke || b.Text != ""
		e.chunk("agent_message_chunk", b.Text)
	case bellcord.Thought:
		e.chunk("agent_thought_chunk", b.Text)
	case bellcord.StepStarted:
		e.calls, e.model = nil, b.Model
	case bellcord.Called:
		e.called(ev, b)
	case bellcord.CallStarted:
		if c := e.open(b.Call); c != nil {
			e.send(obj{"sessionUpdate": "tool_call_update", "toolCallId": c.id, "status": "in_progress"})
		}
	case bellcord.CallOutput:
		if c := e.open(b.Call); c != nil {
			c.output = lastBytes(c.output+b.Text, mostOutput)
			e.send(obj{"sessionUpdate": "tool_call_update", "toolCallId": c.id, "content": textContent(c.output)})
		}
	case bellcord.CallEnded:
		e.callEnded(b)
	case bellcord.Asked:
		e.asked(ev.Turn, b.Question)
	case bellcord.StepEnded:
		e.finish = b.Finish
		if b.Usage != nil {
			e.used(*b.Usage)
		}
	case bellcord.Configured:
		e.configured(ev, b)
	case bellcord.Started:
		e.turn, e.spoke, e.finish = ev.Turn, false, ""
		e.begin(ev.Turn)
	case bellcord.Ended:
		e.begin(ev.Turn)
		if ev.Turn == e.turn {
			e.ended(b.Receipt)
			e.bill.running = 0
		}
	case bellcord.StopAsked:
		if ev.Turn == e.turn && b.Cause.Mode != bellcord.AfterStep {
			e.closeDialogs(ev.Turn)
		}
	case bellcord.Retrying:
		e.retrying(b)
	case bellcord.Compacted:
		e.compacted(b)
	case bellcord.Answered, bellcord.Attached, bellcord.Metered, bellcord.Sealed, bellcord.Cleared,
		bellcord.AsideStarted, bellcord.AsideEnded: // nothing that a person has to see
	}
}

// begin shows what the person said, unless the client knows. Turns that were
// stopped while they waited have it shown at their end. A task that is none of
// the conversation was not said.
func (e *encoder) begin(turn bellcord.TurnID) {
	prompt := e.prompts[turn]
	delete(e.prompts, turn)
	if prompt.Task != bellcord.Answer {
		return
	}
	for _, image := range prompt.Images {
		e.send(obj{"sessionUpdate": "user_message_chunk", "content": imageBlock(image)})
	}
	e.chunk("user_message_chunk", prompt.Text)
}

func (e *encoder) chunk(kind, text string) {
	if text != "" {
		e.send(obj{"sessionUpdate": kind, "content": textBlock(text)})
	}
}

// closeDialogs closes those of one turn: a replay passes the ends of others
// while the running one waits for its answer.
func (e *encoder) closeDialogs(turn bellcord.TurnID) {
	e.dialogs = slices.DeleteFunc(e.dialogs, func(d dialog) bool {
		if d.turn == turn {
			d.close()
		}
		return d.turn == turn
	})
}

func (e *encoder) asked(turn bellcord.TurnID, q bellcord.Question) {
	c := e.open(q.Call)
	if e.replaying || c == nil {
		return
	}
	e.dialogs = append(e.dialogs, dialog{turn, e.ask(turn, q, c.id)})
}

func (e *encoder) configured(ev bellcord.Event, b bellcord.Configured) {
	if b.Title != "" {
		e.send(obj{"sessionUpdate": "session_info_update", "title": b.Title, "updatedAt": ev.Time.UTC().Format(timeFormat)})
	}
	if b.Mode != "" {
		e.send(obj{"sessionUpdate": "current_mode_update", "currentModeId": b.Mode})
	}
	if options := e.options(); options != nil && (b.Mode != "" || b.Model != "") {
		e.send(obj{"sessionUpdate": "config_option_update", "configOptions": options})
	}
}

const timeFormat = "2006-01-02T15:04:05.000Z"
