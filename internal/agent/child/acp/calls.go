package acp

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// call is a tool call reported by the agent.
type call struct {
	id    string // the agent's id
	logID string // the id in the log
	name  string
	// now is the call as the agent last reported it, and shown is what the log
	// has of it.
	now, shown bellcord.ToolCallRequested
	content    []acp.ToolCallContent
	paths      []string // all locations that the agent ever reported, for permissions
	rawOutput  json.RawMessage
	output     string // text recorded so far
	written    string // the text of the content, as last reported

	called  bool // recorded in the log
	started bool
	ended   bool
	waits   bool // waits for a permission or was refused one: it is not running
	allowed bool // by a rule, the mode or the user
}

func (c *call) kind() acp.ToolKind { return acp.ToolKind(c.now.ToolKind) }

// updateCallLocked applies an update to its call. raw is the update as the agent
// sent it. The caller holds t.mu.
func (t *turn) updateCallLocked(u acp.ToolCallUpdate, raw json.RawMessage) {
	t.endPrompt()
	c := t.callOf(u)
	if c == nil || c.ended {
		return
	}
	t.applyUpdate(c, u, raw)
	t.recordCall(c)
	if u.Status == acp.CallInProgress {
		t.startCall(c)
	}
	if len(u.Content) > 0 {
		t.setText(c, t.withoutOutput(c, textOfContent(u.Content)))
	}
	if data := terminalData(u.Meta); data != "" {
		t.appendText(c, data)
	}
	if final(u.Status) {
		t.endCall(c, u.Status == acp.CallFailed)
	}
}

// callOf finds or adds the call of an update. It returns nil if the update has
// no id, or if it ends a call that was not seen before the stop.
func (t *turn) callOf(u acp.ToolCallUpdate) *call {
	if u.ToolCallID == "" {
		return nil
	}
	for _, one := range t.calls {
		if one.id == u.ToolCallID {
			return one
		}
	}
	if final(u.Status) && t.ctx.Err() != nil {
		return nil // its start was never reported, and ends do not count after a stop
	}
	c := &call{id: u.ToolCallID, logID: u.ToolCallID}
	t.calls = append(t.calls, c)
	return c
}

// applyUpdate copies the members that an update has to its call.
func (t *turn) applyUpdate(c *call, u acp.ToolCallUpdate, raw json.RawMessage) {
	if u.Title != "" {
		c.now.Title = u.Title
	}
	if name := toolName(u); name != "" {
		c.name = name
	}
	if u.Kind != "" {
		c.now.ToolKind = string(u.Kind)
	}
	if isObject(u.RawInput) && (c.now.Arguments == nil || !bytes.Equal(u.RawInput, []byte("{}"))) { // an empty object removes no arguments
		c.now.Arguments = validJSON(u.RawInput)
	}
	if u.Locations != nil {
		c.now.Locations = []bellcord.Location{}
		for _, l := range u.Locations {
			c.now.Locations = append(c.now.Locations, bellcord.Location{Path: l.Path, Line: max(l.Line, 0)})
			c.paths = append(c.paths, l.Path)
		}
	}
	if u.Content != nil {
		c.content = u.Content
		c.now.Content = c.keepTerminals(shownContent(raw))
		t.attachTerminals(c)
	}
	if meta := shownMeta(raw); meta != nil {
		c.now.Meta = meta
	}
	if len(u.RawOutput) > 0 && string(u.RawOutput) != "null" {
		c.rawOutput = validJSON(u.RawOutput)
	}
}

func final(s acp.ToolCallStatus) bool { return s == acp.CallCompleted || s == acp.CallFailed }

// recordCall emits the call or, if the log already has it, what has changed.
func (t *turn) recordCall(c *call) {
	if !c.called {
		c.called = true
		c.now.Call, c.now.Name = c.logID, c.proper()
		c.shown = c.now
		first := c.now
		first.Arguments, first.ArgumentsPending = c.args(), c.now.Arguments == nil
		t.emit(first)
		return
	}
	if change, changed := c.difference(); changed {
		change.Apply(&c.shown)
		t.emit(change)
	}
}

// difference returns what has changed since the call was last recorded.
func (c *call) difference() (change bellcord.ToolCallUpdated, changed bool) {
	change.Call = c.logID
	if c.now.Title != c.shown.Title {
		change.Title, changed = c.now.Title, true
	}
	if c.now.ToolKind != c.shown.ToolKind {
		change.ToolKind, changed = c.now.ToolKind, true
	}
	if c.now.Arguments != nil && !bytes.Equal(c.now.Arguments, c.shown.Arguments) {
		change.Arguments, changed = c.now.Arguments, true
	}
	if !same(c.now.Locations, c.shown.Locations) {
		change.Locations, changed = c.now.Locations, true
	}
	if !same(c.now.Content, c.shown.Content) {
		change.Content, changed = c.now.Content, true
	}
	if !bytes.Equal(c.now.Meta, c.shown.Meta) {
		change.Meta, changed = c.now.Meta, true
	}
	return change, changed
}

// same reports whether two lists are equal. A list that was never reported
// equals an empty one.
func same[E any](a, b []E) bool {
	return len(a)+len(b) == 0 || reflect.DeepEqual(a, b)
}

// startCall emits the start of the call, once.
func (t *turn) startCall(c *call) {
	t.recordCall(c)
	if !c.started {
		c.started, c.waits = true, false
		t.emit(bellcord.ToolCallStarted{Call: c.logID})
	}
}

// setText emits the part of a call's text that is new. Updates replace the
// content as a whole: if the new text does not start with the old, all of it is
// emitted.
func (t *turn) setText(c *call, text string) {
	more, longer := strings.CutPrefix(text, c.written)
	if !longer {
		more, c.output = text, ""
	}
	c.written = text
	t.appendText(c, more)
}

// appendText emits text as output of the call. A call that waits for a
// permission has no output; its text describes it.
func (t *turn) appendText(c *call, text string) {
	if text == "" || c.ended {
		return
	}
	c.output += text
	if over := len(c.output) - mostOutput; over > 0 {
		c.output = strings.ToValidUTF8(c.output[over:], "")
	}
	if c.waits {
		return
	}
	t.startCall(c)
	t.emit(bellcord.ToolOutputDelta{Call: c.logID, Text: text})
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
		t.emit(bellcord.ToolCallEnded{Call: c.logID, Outcome: bellcord.CallNotStarted, Failed: true, Result: "[not started: it was not allowed]", RawOutput: c.rawOutput})
	default:
		t.startCall(c)
		t.recordExit(c)
		t.emit(bellcord.ToolCallEnded{Call: c.logID, Outcome: bellcord.CallFinished, Failed: failed, Result: c.result(), RawOutput: c.rawOutput})
	}
	c.ended = true
}

// result returns the result of a call as text: its output or, if it has none,
// the files that it changed, or its raw output.
func (c *call) result() string {
	if c.output != "" {
		return c.output
	}
	var parts []string
	for _, one := range c.now.Content {
		if one.Change != nil {
			parts = append(parts, "[changes "+one.Change.Path+"]")
		}
	}
	if len(parts) == 0 && c.rawOutput != nil {
		text := string(c.rawOutput)
		_ = json.Unmarshal(c.rawOutput, &text) // anything but a string is shown as JSON
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n")
}

func isObject(value json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(value, &object) == nil && object != nil
}

func validJSON(value json.RawMessage) json.RawMessage {
	return json.RawMessage(strings.ToValidUTF8(string(value), "\uFFFD"))
}
