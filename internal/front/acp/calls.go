package acp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
)

type shownCall struct {
	call, id string
	output   string
}

// mostOutput is how much of a running call's output is shown.
const mostOutput = 16 << 10

// called shows a call. Models number their calls as they like; a client needs
// ids that are unique in the session, the same at every replay.
func (e *encoder) called(ev bellcord.Event, b bellcord.Called) {
	c := &shownCall{call: b.Call, id: fmt.Sprintf("%s-%d", b.Call, ev.Seq)}
	e.calls = append(e.calls, c)
	shown, sort := b.Title, b.Sort
	if shown == "" {
		shown = title(b.Name, b.Args)
	}
	if sort == "" {
		sort = toolKind(b.Name)
	}
	e.send(obj{
		"sessionUpdate": "tool_call", "toolCallId": c.id, "title": shown, "kind": sort,
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
	e.closeDialogs(e.turn)
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

func textContent(text string) []obj {
	return []obj{{"type": "content", "content": textBlock(text)}}
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
