package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/bellcord/bellcord"
)

// turnTrace is the trace of a turn that has not ended: the root span and its
// open children.
type turnTrace struct {
	tracer   trace.Tracer
	turn     bellcord.TurnID
	accepted time.Time
	root     trace.Span
	below    context.Context // parent context of the root's children

	queued       trace.Span
	step         trace.Span
	asides       map[string]trace.Span // by purpose
	calls        map[string]*callTrace
	questions    map[string]trace.Span
	stopRecorded bool
}

// callTrace is a call that has not ended. span is nil until the call starts.
type callTrace struct {
	name string
	span trace.Span
}

// ownAgent is the name of Bellcord's agent.
const ownAgent = "bellcord"

func newTurnTrace(tracer trace.Tracer, n note, accepted time.Time, agent string) *turnTrace {
	if agent == "" {
		agent = ownAgent
	}
	if accepted.IsZero() {
		accepted = n.at
	}
	t := &turnTrace{
		tracer: tracer, turn: n.turn, accepted: accepted,
		asides: map[string]trace.Span{}, calls: map[string]*callTrace{}, questions: map[string]trace.Span{},
	}
	t.below, t.root = tracer.Start(ofTurn(n.turn), invokeAgent+" "+agent,
		trace.WithNewRoot(), trace.WithTimestamp(accepted), trace.WithAttributes(
			operation.String(invokeAgent), agentName.String(agent),
			conversationID.String(string(n.session)), turnID.String(string(n.turn))))
	t.queued = t.startSpan("queued", accepted)
	return t
}

// startSpan starts a child of the root.
func (t *turnTrace) startSpan(name string, at time.Time, attrs ...attribute.KeyValue) trace.Span {
	_, span := t.tracer.Start(t.below, name, trace.WithTimestamp(at), trace.WithAttributes(attrs...))
	return span
}

// request starts a span for a request to a model.
func (t *turnTrace) request(model string, at time.Time, attrs ...attribute.KeyValue) trace.Span {
	name := chat
	if model != "" {
		name += " " + model
	}
	_, span := t.tracer.Start(t.below, name, trace.WithTimestamp(at), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(append(ofModel(model), attrs...)...))
	return span
}

// addBody adds an event between the turn's acceptance and its end.
func (t *turnTrace) addBody(at time.Time, body bellcord.Body) {
	switch b := body.(type) {
	case bellcord.TurnStarted:
		t.startedAt(at)
	case bellcord.StopRequested:
		t.stopRequested(b.Cause)
	case bellcord.StepStarted:
		finish(t.step, at)
		t.step = t.request(b.Model, at, stepNumber.Int(b.Step))
	case bellcord.StepEnded:
		t.stepEnded(at, b)
	case bellcord.ModelRetryScheduled:
		t.retrying(at, b)
	case bellcord.SideRequestStarted:
		finish(t.asides[b.Purpose], at)
		t.asides[b.Purpose] = t.request(b.Model, at, asideFor.String(b.Purpose))
	case bellcord.SideRequestEnded:
		finish(t.asides[b.Purpose], at, ofUsage(b.Usage)...)
		delete(t.asides, b.Purpose)
	case bellcord.ToolCallRequested:
		t.calls[b.Call] = &callTrace{name: b.Name}
	case bellcord.ToolCallStarted:
		if c := t.calls[b.Call]; c != nil && c.span == nil {
			c.span = t.startSpan(executeTool+" "+c.name, at, ofCall(b.Call, c.name)...)
		}
	case bellcord.ToolCallEnded:
		t.callEnded(at, b)
	case bellcord.QuestionOpened:
		t.questionOpened(at, b.Question)
	case bellcord.QuestionAnswered:
		finish(t.questions[b.Question], at, questionAnswered.Bool(true))
		delete(t.questions, b.Question)
	}
}

// startedAt ends the span of the time in the queue. It ignores the zero time.
func (t *turnTrace) startedAt(at time.Time) {
	if !at.IsZero() {
		finish(t.queued, at)
		t.queued = nil
	}
}

// stopRequested adds the stop as an event, because it is not a failure of the
// turn. A stop that arrived before its turn has the time at which the turn was
// accepted.
func (t *turnTrace) stopRequested(c bellcord.Cause) {
	at := c.At
	if at.Before(t.accepted) {
		at = t.accepted
	}
	t.root.AddEvent("stop", trace.WithTimestamp(at), trace.WithAttributes(ofCause(c)...))
	t.stopRecorded = true
}

func (t *turnTrace) stepEnded(at time.Time, b bellcord.StepEnded) {
	var attrs []attribute.KeyValue
	if b.Finish != "" {
		attrs = append(attrs, finishReasons.StringSlice([]string{string(b.Finish)}))
	}
	if b.Usage != nil {
		attrs = append(attrs, ofUsage(*b.Usage)...)
	}
	finish(t.step, at, attrs...)
	t.step = nil
}

func (t *turnTrace) retrying(at time.Time, b bellcord.ModelRetryScheduled) {
	of := t.step
	if of == nil {
		of = t.root
	}
	of.AddEvent("retry", trace.WithTimestamp(at),
		trace.WithAttributes(retryAttempt.Int(b.Attempt), retryWait.Float64(b.RetryIn.Seconds())))
}

func (t *turnTrace) questionOpened(at time.Time, q bellcord.Question) {
	attrs := []attribute.KeyValue{questionID.String(q.ID)}
	if q.Call != "" {
		attrs = append(attrs, toolCallID.String(q.Call))
	}
	t.questions[q.ID] = t.startSpan("wait for a person", at, attrs...)
}

// callEnded ends a call's span. A failed tool is a result, so its span has an
// error type but no error status.
func (t *turnTrace) callEnded(at time.Time, b bellcord.ToolCallEnded) {
	c := t.calls[b.Call]
	if c == nil {
		return
	}
	delete(t.calls, b.Call)
	if c.span == nil {
		t.root.AddEvent("call not run", trace.WithTimestamp(at), trace.WithAttributes(
			toolName.String(c.name), toolCallID.String(b.Call), callFate.String(string(b.Outcome))))
		return
	}
	attrs := []attribute.KeyValue{callFate.String(string(b.Outcome))}
	if b.Failed && b.Outcome == bellcord.CallFinished {
		attrs = append(attrs, errorType.String("tool_failed"))
	}
	finish(c.span, at, attrs...)
}

// finish ends a span, if there is one.
func finish(span trace.Span, at time.Time, attrs ...attribute.KeyValue) {
	if span != nil {
		span.SetAttributes(attrs...)
		span.End(trace.WithTimestamp(at))
	}
}
