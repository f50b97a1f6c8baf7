package telemetry

import (
	"slices"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/bellcord/bellcord"
)

// endTrace ends the open spans and the root, with the data of the receipt.
func (t *turnTrace) endTrace(at time.Time, r bellcord.Receipt) {
	finish(t.queued, at)
	finish(t.step, at)
	for _, span := range t.asides {
		finish(span, at)
	}
	for _, span := range t.questions {
		finish(span, at, questionAnswered.Bool(false))
	}
	for id := range t.calls {
		t.callEnded(at, bellcord.ToolCallEnded{Call: id, Outcome: fateOf(id, r.Calls)})
	}
	attrs := append(ofUsage(r.Usage), turnEnd.String(string(r.End)), survivorCount.Int(len(r.Processes.Survivors)), agentAbandoned.Bool(r.AgentAbandoned))
	if r.Cause != nil {
		attrs = append(attrs, ofCause(*r.Cause)...)
		if !t.stopRecorded { // another process recorded it
			t.stopRequested(*r.Cause)
		}
	}
	t.phases(r)
	switch r.End {
	case bellcord.EndFailed:
		attrs = append(attrs, errorType.String(string(r.End)))
		t.root.SetStatus(codes.Error, "the turn failed; see its receipt")
	case bellcord.EndLost:
		attrs = append(attrs, errorType.String(string(r.End)))
		t.root.SetStatus(codes.Error, "the process that ran the turn died")
	case bellcord.EndDone, bellcord.EndStopped: // a stop is not an error
	}
	finish(t.root, at, attrs...)
}

// phases adds the phases of a stop as events.
func (t *turnTrace) phases(r bellcord.Receipt) {
	if r.End != bellcord.EndStopped {
		return
	}
	if at := r.Times.StreamClosed; !at.IsZero() && !at.Before(r.Times.StopRequested) {
		t.root.AddEvent(streamClosed, trace.WithTimestamp(at))
	}
	if at := r.Times.LastProcessEnded; !at.IsZero() && !at.Before(r.Times.StopRequested) {
		t.root.AddEvent(processGone, trace.WithTimestamp(at))
	}
}

// fateOf returns the outcome in the receipt of a call that has not ended.
func fateOf(call string, c bellcord.Calls) bellcord.CallOutcome {
	is := func(ref bellcord.CallRef) bool { return ref.Call == call }
	switch {
	case slices.ContainsFunc(c.Stopped, is):
		return bellcord.CallStopped
	case slices.ContainsFunc(c.NotStarted, is):
		return bellcord.CallNotStarted
	}
	return bellcord.CallUnknown
}
