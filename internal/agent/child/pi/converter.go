package pi

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// converter converts pi's events to Bellcord's events.
type converter struct {
	*speaker
	work     *hub.Work
	ctx      context.Context
	stopping bool
	err      error // error of the first event that was rejected

	steps  int
	open   bool  // a step has started and not ended
	since  int64 // bytes added to the conversation since the last usage
	input  int64 // input tokens of the step, as last reported
	blocks map[int]string
	full   bool // the step's answer is too long: the rest is dropped
	calls  calls
	failed string // pi's error for the last answer, "" if it did not fail
}

func (t *converter) emit(b bellcord.Body) {
	err := t.work.Emit(b)
	t.full = errors.Is(err, hub.ErrAnswerTooLong)
	if err != nil && !t.full && t.err == nil {
		t.err = err
	}
}

// failure returns the error of the run. A stopped run returns nil.
func (t *converter) failure() error {
	if t.failed == "" || t.stopping {
		return nil
	}
	return errors.New(t.failed)
}

func (t *converter) convert(r record) {
	switch r.Type {
	case "turn_start": // a model request starts
		if !t.stopping {
			t.step()
		}
	case "message_start":
		if r.Message.Role == "assistant" {
			t.answerStarts(r.Message)
		}
	case "message_update":
		t.update(r)
	case "message_end":
		t.messageEnds(r.Message)
	case "tool_execution_start":
		t.called(r.ToolCallID, r.ToolName, r.Args)
		t.calls.startCall(t, r.ToolCallID)
	case "tool_execution_update":
		t.calls.output(t, r.ToolCallID, r.PartialResult.Content.plainText())
	case "tool_execution_end":
		t.calls.endCall(t, r.ToolCallID, r.Result.Content.plainText(), r.IsError)
	}
}

// step starts a step, unless one is open. Limits are checked here. A step that
// pi starts after a stop is recorded for its cost only; its text is rejected.
func (t *converter) step() {
	if t.open {
		return
	}
	t.open, t.blocks, t.input = true, nil, 0
	t.steps++
	s := bellcord.StepStarted{Step: t.steps, Model: t.model, EstimatedInput: t.context + t.since/4}
	if t.ctx.Err() == nil && t.work.Step(t.ctx, s) == nil {
		return
	}
	t.emit(s)
}

func (t *converter) answerStarts(m message) {
	t.failed = ""
	if name := m.model(); name != "" {
		t.model = name
	}
	if !t.stopping {
		t.step()
	}
}

// update handles a piece of an answer. Both forms of message_update contain
// deltas.
func (t *converter) update(r record) {
	switch u := r.Update; u.Type {
	case "text_delta":
		t.grow(u.ContentIndex, u.Delta, false)
	case "thinking_delta":
		t.grow(u.ContentIndex, u.Delta, true)
	case "text_end":
		t.complete(u.ContentIndex, u.Content, false)
	case "thinking_end":
		t.complete(u.ContentIndex, u.Content, true)
	}
	if usage := r.Usage.exact(); usage != nil && usage.InputTokens > t.input && t.open {
		t.input = usage.InputTokens
		usage.Exact = false
		t.emit(bellcord.UsageReported{Usage: *usage})
	}
}

func (t *converter) grow(index int, delta string, thinking bool) {
	if delta == "" {
		return
	}
	t.step()
	if t.blocks == nil {
		t.blocks = map[int]string{}
	}
	if !t.full {
		t.blocks[index] += delta
	}
	if thinking {
		t.emit(bellcord.ThinkingDelta{Text: delta})
	} else {
		t.emit(bellcord.TextDelta{Text: delta})
	}
}

// complete emits the part of a block that was not in any delta.
func (t *converter) complete(index int, whole string, thinking bool) {
	if had := t.blocks[index]; len(whole) > len(had) && whole[:len(had)] == had {
		t.grow(index, whole[len(had):], thinking)
	}
}

// messageEnds handles a message that is complete in pi's conversation.
func (t *converter) messageEnds(m message) {
	switch m.Role {
	case "assistant":
		t.answerEnds(m)
	case "toolResult":
		t.since += int64(len(m.Content.plainText()))
		t.calls.endCall(t, m.ToolCallID, m.Content.plainText(), m.IsError)
	}
}

// answerEnds ends the step. If the answer was cut off, the step stays open: its
// usage was not reported, and the core estimates it.
func (t *converter) answerEnds(m message) {
	for i, b := range m.Content {
		switch b.Type {
		case "text":
			t.complete(i, b.Text, false)
		case "thinking":
			t.complete(i, b.Thinking, true)
		}
	}
	used := m.Usage.exact()
	if used != nil {
		t.context, t.since = used.Total(), 0
	}
	cut := m.StopReason == "aborted" || m.StopReason == "error"
	switch {
	case m.StopReason == "error" && !t.stopping:
		t.failed = "the model did not answer"
		if m.ErrorMessage != "" {
			t.failed = m.ErrorMessage
		}
		if used == nil && len(t.blocks) == 0 {
			used = &bellcord.Usage{Exact: true} // a rejected request costs nothing
		}
	case m.StopReason == "aborted" && !t.stopping:
		t.failed = "pi aborted the turn, but not on a stop from Bellcord"
	}
	if cut && used == nil || !t.open {
		return
	}
	if !cut {
		for _, b := range m.Content {
			if b.Type == "toolCall" {
				t.called(b.ID, b.Name, b.Arguments)
			}
		}
	}
	t.emit(bellcord.StepEnded{Finish: finish(m.StopReason), Usage: used})
	t.open = false
}

// finish maps a stop reason of pi.
func finish(reason string) bellcord.Finish {
	switch reason {
	case "stop":
		return bellcord.FinishStop
	case "toolUse":
		return bellcord.FinishToolCalls
	case "length":
		return bellcord.FinishMaxOutput
	case "aborted":
		return bellcord.FinishStopped
	case "error":
		return bellcord.FinishFailed
	default:
		return bellcord.FinishOther
	}
}

// retrying emits the pause before the next attempt.
func (t *converter) retrying(r record) {
	t.emit(bellcord.ModelRetryScheduled{
		Attempt: r.Attempt, RetryIn: time.Duration(r.DelayMs * float64(time.Millisecond)), Reason: r.ErrorMessage,
	})
}

// called emits a call, once. Arguments other than a JSON object are replaced by
// an empty object, because a model would not accept them in the history.
func (t *converter) called(id, name string, args json.RawMessage) {
	if t.calls.find(id) != nil {
		return
	}
	at, changes := viewOf(name, args, t.work.Session.Dir)
	t.calls.addCall(id, changes)
	t.emit(bellcord.ToolCallRequested{
		Call: id, Name: name, ToolKind: toolKinds[name], Arguments: arguments(args), CallView: bellcord.CallView{Locations: at},
	})
}

// toolKinds are the kinds of pi's own tools, as ACP names them.
var toolKinds = map[string]string{
	"read": "read", "ls": "read", "edit": "edit", "write": "edit", "grep": "search", "find": "search", "bash": "execute",
}

func arguments(args json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(args, &object); err != nil || object == nil {
		return json.RawMessage(`{}`)
	}
	return args
}

// contextUsed records how full the context is, if it has changed. During a step
// it is also an estimate of the step's input.
func (t *converter) contextUsed(now bellcord.ContextUse) {
	if reflect.DeepEqual(now, t.used) {
		return
	}
	t.used = now
	report := bellcord.UsageReported{Context: &now}
	if t.open {
		report.Usage.InputTokens = max(t.input, now.UsedTokens)
	}
	t.emit(report)
}

// onlyCall returns the call that a question belongs to: the only running call,
// or "" if there are several.
func (t *converter) onlyCall() string { return t.calls.only() }
