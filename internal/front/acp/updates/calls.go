package updates

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/acp/blocks"
	"github.com/bellcord/bellcord/internal/visible"
)

// shownCall is a call that the client shows.
type shownCall struct {
	call, id string
	kind     acp.ToolKind
	now      bellcord.ToolCallRequested // the call, with all updates
	changes  []bellcord.Change          // to files, if it succeeds; only of built-in tools
	output   string
	terminal string // the terminal that shows its output, or ""

	outputName string // the member of _meta with the output of the terminal
}

// mostOutput limits how many bytes of a running call's output are shown.
const mostOutput = 16 << 10

// called shows a call. Models may repeat call ids; a client needs ids that are
// unique in the session and identical in every replay. The first call with an id
// of a hosted agent keeps it, because the agent's other updates refer to it.
func (e *Encoder) called(ev bellcord.Event, b bellcord.ToolCallRequested) {
	c := &shownCall{call: b.Call, id: fmt.Sprintf("%s-%d", b.Call, ev.Seq), kind: acp.ToolKind(b.ToolKind), now: b}
	if e.Hosted && !e.ids[b.Call] {
		c.id = b.Call
		e.ids[b.Call] = true
	}
	e.calls = append(e.calls, c)
	if c.kind == "" && !e.Hosted {
		c.kind = toolKind(b.Name)
	}
	shown := b.Title
	if shown == "" {
		shown = title(b.Name, b.Arguments)
	}
	call := acp.ToolCall{ToolCallID: c.id, Title: visible.Text(shown), Name: b.Name, Kind: c.kind, Status: acp.CallPending, RawInput: rawInput(b)}
	if e.Hosted {
		call.Locations, call.Content, call.Meta = locations(b.Locations), e.viewed(c), e.viewMeta(c)
	} else {
		call.Locations, c.changes = files(e.Dir(), b.Name, b.Arguments)
		call.Content = diffs(c.changes)
	}
	e.Send(call)
}

// rawInput returns the arguments of a call, or nil if a hosted agent has not
// reported them yet.
func rawInput(c bellcord.ToolCallRequested) json.RawMessage {
	if c.ArgumentsPending {
		return nil
	}
	return c.Arguments
}

// updated shows what a hosted agent changed about a call. The changes that a
// built-in tool has made to files are shown with its end, which follows.
func (e *Encoder) updated(b bellcord.ToolCallUpdated) {
	c := e.open(b.Call)
	if c == nil {
		return
	}
	b.Apply(&c.now)
	if !e.Hosted {
		c.changed(b.Content)
		return
	}
	update := acp.ToolCallUpdate{ToolCallID: c.id, Title: visible.Text(b.Title), Kind: acp.ToolKind(b.ToolKind), RawInput: b.Arguments, Locations: locations(b.Locations)}
	if b.ToolKind != "" {
		c.kind = update.Kind
	}
	if b.Content != nil {
		update.Content = append(e.viewed(c), c.text(c.output)...)
	}
	if b.Meta != nil || b.Content != nil {
		update.Meta = e.viewMeta(c)
	}
	e.Send(update)
}

// changed replaces the changes of a call by those that it has made. Content that
// was too long for the log contains none.
func (c *shownCall) changed(content []bellcord.CallContent) {
	var made []bellcord.Change
	for _, part := range content {
		if part.Change != nil {
			made = append(made, *part.Change)
		}
	}
	if made != nil {
		c.changes = made
	}
}

func (e *Encoder) open(call string) *shownCall {
	for _, c := range e.calls {
		if c.call == call {
			return c
		}
	}
	return nil
}

// printed shows more output of a running call.
func (e *Encoder) printed(c *shownCall, text string) {
	c.output = lastBytes(c.output+text, mostOutput)
	if c.terminal != "" {
		e.Send(acp.ToolCallUpdate{ToolCallID: c.id, Meta: acp.Meta{cmp.Or(c.outputName, acp.TerminalOutputMember): map[string]any{"terminal_id": c.terminal, "data": text}}})
		return
	}
	e.Send(acp.ToolCallUpdate{ToolCallID: c.id, Content: append(e.viewed(c), acp.TextContent(c.output))})
}

// callEnded shows the end of a call.
func (e *Encoder) callEnded(b bellcord.ToolCallEnded) {
	for i, c := range e.calls {
		if c.call != b.Call {
			continue
		}
		status := acp.CallCompleted
		switch {
		case b.Outcome == bellcord.CallStopped, b.Outcome == bellcord.CallNotStarted && !b.Failed:
			status = e.Stopped
		case b.Failed || b.Outcome != bellcord.CallFinished:
			status = acp.CallFailed
		}
		e.endCall(c, status, b)
		e.calls = append(e.calls[:i], e.calls[i+1:]...)
		return
	}
}

// ended closes the turn's dialogs and ends its open calls with the outcome from
// the receipt.
func (e *Encoder) ended(r bellcord.Receipt) {
	e.closeDialogs(e.turn)
	for _, c := range e.calls {
		fate := fateOf(c.call, r.Calls)
		status := acp.CallFailed
		if r.End == bellcord.EndStopped && fate != bellcord.CallUnknown {
			status = e.Stopped
		}
		e.endCall(c, status, bellcord.ToolCallEnded{Outcome: fate, Failed: true, Result: history.ResultText(fate, c.output)})
	}
	e.calls = nil
}

// endCall shows a call's result. If the call completed, its changes come first.
func (e *Encoder) endCall(c *shownCall, status acp.ToolCallStatus, b bellcord.ToolCallEnded) {
	update := acp.ToolCallUpdate{ToolCallID: c.id, Status: status, RawOutput: b.RawOutput, Meta: acp.Meta{"bellcord/outcome": b.Outcome}}
	switch {
	case e.Hosted:
		update.Content = append(e.viewed(c), c.result(b)...)
		e.endTerminal(c, b, update.Meta)
	case status == acp.CallCompleted:
		update.Content = append(append(diffs(c.changes), acp.TextContent(b.Result)), images(b.Images)...)
	default:
		update.Content = []acp.ToolCallContent{acp.TextContent(b.Result)}
	}
	e.Send(update)
}

// images returns pictures as content. ACP has no content for documents; the text
// of the result names them.
func images(all []bellcord.Image) (out []acp.ToolCallContent) {
	for _, image := range all {
		if strings.HasPrefix(image.Type, "image/") {
			block := blocks.Image(image)
			out = append(out, acp.ToolCallContent{Type: acp.TypeContent, Content: &block})
		}
	}
	return out
}

// result returns the text of a hosted agent's call that has ended. The result of
// a finished call without output is not shown: it only describes the call's
// content for the model.
func (c *shownCall) result(b bellcord.ToolCallEnded) []acp.ToolCallContent {
	if b.Outcome != bellcord.CallFinished {
		return []acp.ToolCallContent{acp.TextContent(b.Result)}
	}
	if c.output == "" {
		return nil
	}
	return c.text(b.Result)
}

// text returns text as content, unless a terminal shows it.
func (c *shownCall) text(text string) []acp.ToolCallContent {
	if text == "" || c.terminal != "" {
		return nil
	}
	return []acp.ToolCallContent{acp.TextContent(text)}
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
	case "write_file", "edit_file", "apply_patch":
		return acp.ToolEdit
	case "grep", "glob":
		return acp.ToolSearch
	case "shell":
		return acp.ToolExecute
	case "fetch", "web_search":
		return acp.ToolFetch
	case "update_plan":
		return acp.ToolThink
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
