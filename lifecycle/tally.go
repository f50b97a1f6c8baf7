package lifecycle

import (
	"slices"

	"github.com/bellcord/bellcord"
)

// Tally folds a turn's events into what its receipt needs. It grows with the calls
// that are open, not with the turn. The same fold over stored events rebuilds it
// for a turn whose process died. It is not safe for concurrent use.
type Tally struct {
	Times bellcord.Times

	open  []openCall // called and not ended, in the order asked
	calls bellcord.Calls
	kept  bellcord.Kept
	procs bellcord.Processes
	meter meter
	steps int
}

type openCall struct {
	bellcord.CallRef
	started bool
}

// Observe counts an event.
func (t *Tally) Observe(b bellcord.Body) {
	t.meter.observe(b)
	switch b := b.(type) {
	case bellcord.StepStarted:
		t.steps++
	case bellcord.TextDelta:
		t.kept.TextBytes += int64(len(b.Text))
	case bellcord.ThinkingDelta:
		t.kept.ThinkingBytes += int64(len(b.Text))
	case bellcord.ToolCallRequested:
		t.open = append(t.open, openCall{CallRef: bellcord.CallRef{Call: b.Call, Name: b.Name}})
	case bellcord.ToolCallStarted:
		if i := t.find(b.Call); i >= 0 {
			t.open[i].started = true
		}
	case bellcord.ToolCallEnded:
		t.callEnded(b)
	}
}

func (t *Tally) callEnded(b bellcord.ToolCallEnded) {
	if p := b.Processes; p != nil {
		t.procs.Add(*p)
	}
	i := t.find(b.Call)
	if i < 0 {
		return
	}
	t.countCall(t.open[i].CallRef, b.Outcome)
	t.open = slices.Delete(t.open, i, i+1)
}

func (t *Tally) countCall(ref bellcord.CallRef, fate bellcord.CallOutcome) {
	switch fate {
	case bellcord.CallFinished:
		t.calls.Finished++
		t.kept.FinishedCalls++
	case bellcord.CallStopped:
		t.calls.Stopped = append(t.calls.Stopped, ref)
	case bellcord.CallNotStarted:
		t.calls.NotStarted = append(t.calls.NotStarted, ref)
	case bellcord.CallUnknown:
		t.calls.Unknown = append(t.calls.Unknown, ref)
	}
}

// Steps returns the number of requests to the model.
func (t *Tally) Steps() int { return t.steps }

// Usage returns what the turn has used, with an estimate for a request that has
// not ended.
func (t *Tally) Usage() bellcord.Usage { return t.meter.total() }

// OpenCalls returns the number of calls that were requested and have not ended.
func (t *Tally) OpenCalls() int { return len(t.open) }

// IsOpen reports whether the call was requested and has not ended.
func (t *Tally) IsOpen(call string) bool { return t.find(call) >= 0 }

// AddProcesses adds processes that were ended for the turn and belong to no call.
func (t *Tally) AddProcesses(p bellcord.Processes) { t.procs.Add(p) }

// SetBackground sets the processes that were declared to outlive the turn.
func (t *Tally) SetBackground(running []bellcord.Process) { t.procs.Background = running }

func (t *Tally) find(call string) int {
	return slices.IndexFunc(t.open, func(c openCall) bool { return c.Call == call })
}

// Receipt sums up: calls still open get the fate that is true of them.
// witnessed means that the turn's agent returned and so ended what it had
// started; otherwise nobody knows.
func (t *Tally) Receipt(witnessed bool) bellcord.Receipt {
	sum := *t
	sum.calls.Stopped = slices.Clone(t.calls.Stopped)
	sum.calls.NotStarted = slices.Clone(t.calls.NotStarted)
	sum.calls.Unknown = slices.Clone(t.calls.Unknown)
	for _, c := range t.open {
		sum.countCall(c.CallRef, openFate(c.started, witnessed))
	}
	return bellcord.Receipt{Times: sum.Times, Calls: sum.calls, Processes: sum.procs, Usage: t.meter.total(), UsageByModel: t.meter.byModel(), Kept: sum.kept}
}

func openFate(started, witnessed bool) bellcord.CallOutcome {
	switch {
	case !started:
		return bellcord.CallNotStarted
	case witnessed:
		return bellcord.CallStopped
	default:
		return bellcord.CallUnknown
	}
}
