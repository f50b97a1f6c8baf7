package bellcord

import (
	"slices"
	"time"
)

// tally is what a receipt needs to know of a turn's events. It grows with the
// calls that are open, not with the turn; the same fold over stored events
// rebuilds it for a turn whose process died.
type tally struct {
	times Times
	open  []openCall // called and not ended, in the order asked
	calls Calls
	kept  Kept
	procs Processes
	meter meter
	steps int
}

type openCall struct {
	CallRef
	started bool
}

func (t *tally) observe(b Body) {
	t.meter.observe(b)
	switch b := b.(type) {
	case StepStarted:
		t.steps++
	case Said:
		t.kept.Text += int64(len(b.Text))
	case Thought:
		t.kept.Thought += int64(len(b.Text))
	case Called:
		t.open = append(t.open, openCall{CallRef: CallRef{b.Call, b.Name}})
	case CallStarted:
		if i := t.find(b.Call); i >= 0 {
			t.open[i].started = true
		}
	case CallEnded:
		t.callEnded(b)
	}
}

func (t *tally) callEnded(b CallEnded) {
	if p := b.Processes; p != nil {
		t.procs.add(*p)
	}
	i := t.find(b.Call)
	if i < 0 {
		return
	}
	t.count(t.open[i].CallRef, b.Fate)
	t.open = slices.Delete(t.open, i, i+1)
}

func (t *tally) count(ref CallRef, fate Fate) {
	switch fate {
	case Finished:
		t.calls.Finished++
		t.kept.Results++
	case CallStopped:
		t.calls.Stopped = append(t.calls.Stopped, ref)
	case NotStarted:
		t.calls.NotStarted = append(t.calls.NotStarted, ref)
	case Unknown:
		t.calls.Unknown = append(t.calls.Unknown, ref)
	}
}

func (t *tally) find(call string) int {
	return slices.IndexFunc(t.open, func(c openCall) bool { return c.Call == call })
}

// receipt sums up: calls still open get the fate that is true of them.
// witnessed means that the turn's agent returned and so ended what it had
// started; otherwise nobody knows.
func (t *tally) receipt(witnessed bool) Receipt {
	sum := *t
	sum.calls.Stopped = slices.Clone(t.calls.Stopped)
	sum.calls.NotStarted = slices.Clone(t.calls.NotStarted)
	sum.calls.Unknown = slices.Clone(t.calls.Unknown)
	for _, c := range t.open {
		sum.count(c.CallRef, openFate(c.started, witnessed))
	}
	return Receipt{Times: sum.times, Calls: sum.calls, Processes: sum.procs, Usage: t.meter.total(), Spent: t.meter.byModel(), Kept: sum.kept}
}

func openFate(started, witnessed bool) Fate {
	switch {
	case !started:
		return NotStarted
	case witnessed:
		return CallStopped
	default:
		return Unknown
	}
}

// at notes when a thing happened, the last time counting.
func (t *tally) at(m Moment, now time.Time) {
	switch m {
	case StreamClosed:
		t.times.StreamClosed = now
	case ProcessGone:
		t.times.ProcessGone = now
	}
}
