package history

import (
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
)

// AnswerBuilder builds an answer from the events of one turn. The zero value is
// ready to use.
type AnswerBuilder struct {
	model    string // the model of the current step
	step     bool   // a step began and has produced nothing yet
	messages []*answerMessage
}

type answerMessage struct {
	model          string
	thinking, text strings.Builder
	calls          []*answerCall
}

type answerCall struct {
	bellcord.AnswerCall
	started bool
}

// Add adds the turn's next event.
func (b *AnswerBuilder) Add(body bellcord.Body) {
	switch e := body.(type) {
	case bellcord.StepStarted:
		b.model, b.step = e.Model, true
	case bellcord.ThinkingDelta:
		b.message(true).thinking.WriteString(e.Text)
	case bellcord.TextDelta:
		b.message(true).text.WriteString(e.Text)
	case bellcord.ToolCallRequested:
		m := b.message(false)
		m.calls = append(m.calls, &answerCall{AnswerCall: bellcord.AnswerCall{ID: e.Call, Name: e.Name, Arguments: e.Arguments}})
	case bellcord.ToolCallUpdated:
		if c := b.findCall(e.Call); e.Arguments != nil {
			c.Arguments = e.Arguments
		}
	case bellcord.ToolCallStarted:
		b.findCall(e.Call).started = true
	case bellcord.ToolCallEnded:
		c := b.findCall(e.Call)
		c.Outcome, c.Failed = e.Outcome, e.Failed
	case bellcord.TurnEnded:
		b.endCalls()
	}
}

// message returns the message that the next event belongs to. Text or thinking
// after a call begins a new message, because some agents report no steps.
func (b *AnswerBuilder) message(speaks bool) *answerMessage {
	n := len(b.messages)
	if n == 0 || b.step || speaks && len(b.messages[n-1].calls) > 0 {
		b.step = false
		b.messages = append(b.messages, &answerMessage{model: b.model})
		n++
	}
	return b.messages[n-1]
}

// findCall returns the newest call with an ID. IDs are only unique within a step.
func (b *AnswerBuilder) findCall(id string) *answerCall {
	for _, m := range slices.Backward(b.messages) {
		for _, c := range slices.Backward(m.calls) {
			if c.ID == id {
				return c
			}
		}
	}
	return &answerCall{}
}

// endCalls sets the outcome of calls that have no recorded end.
func (b *AnswerBuilder) endCalls() {
	for _, m := range b.messages {
		for _, c := range m.calls {
			switch {
			case c.Outcome != "":
			case c.started:
				c.Outcome = bellcord.CallUnknown
			default:
				c.Outcome = bellcord.CallNotStarted
			}
		}
	}
}

// Answer returns the answer so far.
func (b *AnswerBuilder) Answer() bellcord.TurnAnswer {
	a := bellcord.TurnAnswer{Messages: []bellcord.AnswerMessage{}}
	for _, m := range b.messages {
		one := bellcord.AnswerMessage{Model: m.model, Thinking: m.thinking.String(), Text: m.text.String()}
		for _, c := range m.calls {
			one.Calls = append(one.Calls, c.AnswerCall)
		}
		a.Messages = append(a.Messages, one)
		a.Text = one.Text
	}
	return a
}
