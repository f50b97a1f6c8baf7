package acp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

type shownCall struct {
	call, id string
	kind     acp.ToolKind
	args     json.RawMessage
	changes  []bellcord.Change // to files, if it succeeds
	output   string
}

// mostOutput limits how many bytes of a running call's output are shown.
const mostOutput = 16 << 10

// called shows a call. Models may repeat call ids; a client needs ids that are
// unique in the session and identical in every replay.
func (e *encoder) called(ev bellcord.Event, b bellcord.ToolCallRequested) {
	c := &shownCall{call: b.Call, id: fmt.Sprintf("%s-%d", b.Call, ev.Seq), kind: acp.ToolKind(b.ToolKind), args: b.Arguments}
	e.calls = append(e.calls, c)
	shown := b.Title
	if shown == "" {
		shown = title(b.Name, b.Arguments)
	}
	if c.kind == "" {
		c.kind = toolKind(b.Name)
	}
	call := acp.ToolCall{ToolCallID: c.id, Title: shown, Kind: c.kind, Status: acp.CallPending, RawInput: b.Arguments}
	call.Locations, c.changes = files(e.dir(), b.Name, b.Arguments)
	call.Content = diffs(c.changes)
	e.send(call)
}

func (e *encoder) open(call string) *shownCall {
	for _, c := range e.calls {
		if c.call == call {
			return c
		}
	}
	return nil
}

// callEnded shows the end of a call. In ACP version 1 a stopped call can only
// be "failed": clients drop updates with an unknown status.
func (e *encoder) callEnded(b bellcord.ToolCallEnded) {
	for i, c := range e.calls {
		if c.call != b.Call {
			continue
		}
		status := acp.CallCompleted
		if b.Failed || b.Outcome != bellcord.CallFinished {
			status = acp.CallFailed
		}
		e.endCall(c, status, b.Result, b.Outcome)
		e.calls = append(e.calls[:i], e.calls[i+1:]...)
		return
	}
}

// ended closes the turn's dialogs and ends its open calls with the outcome from
// the receipt.
func (e *encoder) ended(r bellcord.Receipt) {
	e.closeDialogs(e.turn)
	for _, c := range e.calls {
		fate := fateOf(c.call, r.Calls)
		e.endCall(c, acp.CallFailed, bellcord.ResultText(fate, c.output), fate)
	}
	e.calls = nil
}

// endCall shows a call's result. If the call completed, its changes come first.
func (e *encoder) endCall(c *shownCall, status acp.ToolCallStatus, result string, fate bellcord.CallOutcome) {
	content := []acp.ToolCallContent{acp.TextContent(result)}
	if status == acp.CallCompleted {
		content = append(diffs(c.changes), content...)
	}
	e.send(acp.ToolCallUpdate{ToolCallID: c.id, Status: status, Content: content, Meta: acp.Meta{"bellcord/outcome": fate}})
}

func fateOf(call string, calls bellcord.Calls) bellcord.CallOutcome {
	is := func(ref bellcord.CallRef) bool { return ref.Call == call }
	switch {
	case slices.ContainsFunc(calls.NotStarted, is):
		return bellcord.CallNotStarted
	case slices.ContainsFunc(calls.Stopped, is):
		return bellcord.CallStopped
	}
	return bellcord.CallUnknown
}

func toolKind(name string) acp.ToolKind {
	switch name {
	case "read_file", "list_dir":
		return acp.ToolRead
	case "write_file", "edit_file":
		return acp.ToolEdit
	case "grep", "glob":
		return acp.ToolSearch
	case "shell":
		return acp.ToolExecute
	case "fetch":
		return acp.ToolFetch
	}
	return acp.ToolOther
}

// title describes a call in one line.
func title(name string, args json.RawMessage) string {
	var known struct{ Path, Command string }
	_ = json.Unmarshal(args, &known) // other arguments are not shown
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

// lastBytes returns at most the last n bytes of s, cut between characters.
func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-n:], "")
}
