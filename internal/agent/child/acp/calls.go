package acp

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// call is a tool call reported by the agent.
type call struct {
	id, name, title string
	kind            acp.ToolKind
	input           json.RawMessage // an object, or nil
	paths           []string
	content         []acp.ToolCallContent
	output          string // as last recorded

	called  bool // recorded in the log
	started bool
	ended   bool
	waits   bool // waits for a permission or was refused one: it is not running
	allowed bool // by a rule, the mode or the user
}

// updateCallLocked applies an update to its call. It returns the call, or nil
// if the update belongs to no call. The caller holds t.mu.
func (t *turn) updateCallLocked(u acp.ToolCallUpdate) *call {
	c := t.callOf(u)
	if c == nil || c.ended {
		return c
	}
	if u.Content != nil {
		c.content = u.Content
	} else if final(u.Status) {
		u.Content = c.content // a terminal in it may have new output
	}
	if c.input != nil || u.Status == acp.CallInProgress || u.Content != nil || final(u.Status) {
		t.recordCall(c)
	}
	if u.Status == acp.CallInProgress {
		t.startCall(c)
	}
	if text, tells := t.contentText(u); tells {
		t.recordCall(c)
		t.output(c, text)
	}
	if final(u.Status) {
		t.endCall(c, u.Status == acp.CallFailed)
	}
	return c
}

// callOf finds or adds the call of an update, and copies the update's fields to
// it. It returns nil if the update has no id, or if it ends a call that was not
// seen before the stop.
func (t *turn) callOf(u acp.ToolCallUpdate) *call {
	if u.ToolCallID == "" {
		return nil
	}
	var c *call
	for _, one := range t.calls {
		if one.id == u.ToolCallID {
			c = one
		}
	}
	if c == nil && final(u.Status) && t.ctx.Err() != nil {
		return nil // its start was never reported, and ends do not count after a stop
	}
	if c == nil {
		c = &call{id: u.ToolCallID}
		t.calls = append(t.calls, c)
	}
	if u.Title != "" {
		c.title = u.Title
	}
	if name := toolName(u); name != "" {
		c.name = name
	}
	if u.Kind != "" {
		c.kind = u.Kind
	}
	if isObject(u.RawInput) && !bytes.Equal(u.RawInput, []byte("{}")) {
		c.input = json.RawMessage(strings.ToValidUTF8(string(u.RawInput), "\uFFFD"))
	}
	for _, l := range u.Locations {
		c.paths = append(c.paths, l.Path)
	}
	return c
}

func final(s acp.ToolCallStatus) bool { return s == acp.CallCompleted || s == acp.CallFailed }

// recordCall emits the call, once. Callers wait for the arguments: agents
// announce a call while the model is still writing them.
func (t *turn) recordCall(c *call) {
	if c.called {
		return
	}
	c.called = true
	t.emit(bellcord.ToolCallRequested{Call: c.id, Name: c.proper(), Title: c.title, ToolKind: string(c.kind), Arguments: c.args()})
}

// startCall emits the start of the call, once.
func (t *turn) startCall(c *call) {
	t.recordCall(c)
	if !c.started {
		c.started, c.waits = true, false
		t.emit(bellcord.ToolCallStarted{Call: c.id})
	}
}

// output emits the part of text that is new. Updates replace the content as a
// whole: if the new content does not start with the old, all of it is emitted.
func (t *turn) output(c *call, text string) {
	more, longer := strings.CutPrefix(text, c.output)
	if !longer {
		more = text
	}
	c.output = text
	if more != "" && !c.waits {
		t.startCall(c)
		t.emit(bellcord.ToolOutputDelta{Call: c.id, Text: more})
	}
}

// endCall emits a call's end. After a stop, agents report killed tools as
// completed or as failed, so the call is left open: the receipt lists it as
// stopped, with its output so far.
func (t *turn) endCall(c *call, failed bool) {
	switch {
	case t.ctx.Err() != nil:
		return
	case c.waits && failed:
		t.recordCall(c)
		t.emit(bellcord.ToolCallEnded{Call: c.id, Outcome: bellcord.CallNotStarted, Failed: true, Result: "[not started: it was not allowed]"})
	default:
		t.startCall(c)
		t.emit(bellcord.ToolCallEnded{Call: c.id, Outcome: bellcord.CallFinished, Failed: failed, Result: c.output})
	}
	c.ended = true
}

// contentText returns the update's content as text, and whether it has any.
func (t *turn) contentText(u acp.ToolCallUpdate) (string, bool) {
	var parts []string
	for _, c := range u.Content {
		switch c.Type {
		case acp.TypeContent:
			parts = append(parts, textOf(c.Content))
		case acp.TypeDiff:
			parts = append(parts, "[changes "+c.Path+"]")
		case acp.TypeTerminal:
			parts = append(parts, t.terminals[c.TerminalID].outputText())
		}
	}
	if u.Content == nil && final(u.Status) && len(u.RawOutput) > 0 && string(u.RawOutput) != "null" {
		text := strings.ToValidUTF8(string(u.RawOutput), "\uFFFD")
		_ = json.Unmarshal(u.RawOutput, &text) // anything but a string is shown as JSON
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n"), len(parts) > 0
}

func isObject(value json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(value, &object) == nil && object != nil
}
