package acp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
)

// encoder turns events into session updates. It remembers the calls that are
// open, because ACP wants an end for each, and replaces a call's content as a
// whole.
type encoder struct {
	send    func(update any)
	ask     func(bellcord.TurnID, bellcord.Question, string) func()
	options func() []obj // the session's settings as they are now
	size    int64        // of the model's context

	prompts   map[bellcord.TurnID]string // of turns that have not started
	turn      bellcord.TurnID            // the one that runs, or ran last
	finish    string                     // why the model ended its last answer
	calls     []*shownCall
	dialogs   []func() // close the permission dialogs that are open
	replaying bool     // history: nobody is asked
}

type shownCall struct {
	call, id string
	output   string
}

// contextSize is what we tell of a model whose context we do not know.
const contextSize = 128_000

// mostOutput is how much of a running call's output is shown.
const mostOutput = 16 << 10

type obj = map[string]any

func (e *encoder) event(ev bellcord.Event) {
	switch b := ev.Body.(type) {
	case bellcord.Prompted:
		e.prompts[ev.Turn] = b.Text // shown where the conversation has it
	case bellcord.Said:
		e.chunk("agent_message_chunk", b.Text)
	case bellcord.Thought:
		e.chunk("agent_thought_chunk", b.Text)
	case bellcord.StepStarted:
		e.calls = nil
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
			e.send(obj{"sessionUpdate": "usage_update", "used": b.Usage.Total(), "size": max(e.size, b.Usage.Total())})
		}
	case bellcord.Configured:
		e.configured(ev, b)
	case bellcord.Started:
		e.finish, e.turn = "", ev.Turn
		e.begin(ev.Turn)
	case bellcord.Ended:
		e.begin(ev.Turn)
		if ev.Turn == e.turn {
			e.ended(b.Receipt)
		}
	case bellcord.StopAsked:
		if ev.Turn == e.turn && b.Cause.Mode != bellcord.AfterStep {
			e.closeDialogs()
		}
	case bellcord.Answered, bellcord.Retrying: // nothing that ACP has a word for
	}
}

// begin shows what the person said, unless the client knows. Turns that were
// stopped while they waited have it shown at their end.
func (e *encoder) begin(turn bellcord.TurnID) {
	e.chunk("user_message_chunk", e.prompts[turn])
	delete(e.prompts, turn)
}

func (e *encoder) chunk(kind, text string) {
	if text != "" {
		e.send(obj{"sessionUpdate": kind, "content": obj{"type": "text", "text": text}})
	}
}

// called shows a call. Models number their calls as they like; a client needs
// ids that are unique in the session, the same at every replay.
func (e *encoder) called(ev bellcord.Event, b bellcord.Called) {
	c := &shownCall{call: b.Call, id: fmt.Sprintf("%s-%d", b.Call, ev.Seq)}
	e.calls = append(e.calls, c)
	e.send(obj{
		"sessionUpdate": "tool_call", "toolCallId": c.id, "title": title(b.Name, b.Args), "kind": toolKind(b.Name),
		"status": "pending", "rawInput": b.Args,
	})
}

func (e *encoder) open(call string) *shownCall {
	for _, c := range e.calls {
		if c.call == call {
			return c
		}
	}
	return nil
}

// callEnded: version 1 has no word for a stopped call but failed, and clients
// drop an update with a word they do not know.
func (e *encoder) callEnded(b bellcord.CallEnded) {
	for i, c := range e.calls {
		if c.call != b.Call {
			continue
		}
		status := "completed"
		if b.Failed || b.Fate != bellcord.Finished {
			status = "failed"
		}
		e.send(obj{
			"sessionUpdate": "tool_call_update", "toolCallId": c.id, "status": status,
			"content": textContent(b.Text), "_meta": obj{"bellcord/fate": b.Fate},
		})
		e.calls = append(e.calls[:i], e.calls[i+1:]...)
		return
	}
}

// ended closes what the turn left open on the screen, with the truth about it.
func (e *encoder) ended(r bellcord.Receipt) {
	e.closeDialogs()
	for _, c := range e.calls {
		fate := fateOf(c.call, r.Calls)
		e.send(obj{
			"sessionUpdate": "tool_call_update", "toolCallId": c.id, "status": "failed",
			"content": textContent(bellcord.ResultText(fate, c.output)), "_meta": obj{"bellcord/fate": fate},
		})
	}
	e.calls = nil
}

func fateOf(call string, calls bellcord.Calls) bellcord.Fate {
	is := func(ref bellcord.CallRef) bool { return ref.Call == call }
	switch {
	case slices.ContainsFunc(calls.NotStarted, is):
		return bellcord.NotStarted
	case slices.ContainsFunc(calls.Stopped, is):
		return bellcord.CallStopped
	}
	return bellcord.Unknown
}

func (e *encoder) closeDialogs() {
	for _, closeDialog := range e.dialogs {
		closeDialog()
	}
	e.dialogs = nil
}

func (e *encoder) asked(turn bellcord.TurnID, q bellcord.Question) {
	c := e.open(q.Call)
	if e.replaying || c == nil {
		return
	}
	e.dialogs = append(e.dialogs, e.ask(turn, q, c.id))
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

func textContent(text string) []obj {
	return []obj{{"type": "content", "content": obj{"type": "text", "text": text}}}
}

func toolKind(name string) string {
	switch name {
	case "read_file":
		return "read"
	case "shell":
		return "execute"
	}
	return "other"
}

// title is a call in one line.
func title(name string, args json.RawMessage) string {
	var known struct{ Path, Command string }
	_ = json.Unmarshal(args, &known) // other arguments are simply not shown
	what := known.Path + known.Command
	if what == "" {
		return name
	}
	first, rest, _ := strings.Cut(what, "\n")
	if rest != "" || len(first) > 200 {
		first = strings.ToValidUTF8(first[:min(len(first), 200)], "") + "…"
	}
	return name + ": " + first
}

// lastBytes returns the end of a text, cut between characters.
func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-n:], "")
}
