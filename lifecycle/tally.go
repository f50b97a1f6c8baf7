package lifecycle

import (
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
)

// Tally accumulates a turn's events for its receipt. Its size depends on the
// number of open calls, not on the length of the turn. For the turn of a dead
// process, the same tally is rebuilt from the stored events. A Tally is not safe
// for concurrent use.
type Tally struct {
	Times bellcord.Times
	// NeedsNoText means that an answer without text is complete.
	NeedsNoText bool

	open  []openCall // requested and not ended, in order of request
	calls bellcord.Calls
	kept  bellcord.Kept
	procs bellcord.Processes
	files *bellcord.Changes
	box   *bellcord.Sandbox
	meter meter
	steps int
	said  int64           // bytes of text since the last step began
	end   bellcord.Finish // of the last step; "" while it runs
}

type openCall struct {
	bellcord.CallRef
	started bool
}

// Observe adds an event to the tally.
func (t *Tally) Observe(b bellcord.Body) {
	t.meter.observe(b)
	switch b := b.(type) {
	case bellcord.StepStarted:
		t.steps++
		t.said, t.end = 0, ""
	case bellcord.StepEnded:
		t.end = b.Finish
	case bellcord.TextDelta:
		t.kept.TextBytes += int64(len(b.Text))
		t.said += int64(len(b.Text))
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

// Steps returns the number of model requests.
func (t *Tally) Steps() int { return t.steps }

// Usage returns the turn's usage, with an estimate for requests that have not
// ended.
func (t *Tally) Usage() bellcord.Usage { return t.meter.total() }

// OpenCalls returns the number of calls that were requested and have not ended.
func (t *Tally) OpenCalls() int { return len(t.open) }

// IsOpen reports whether the call was requested and has not ended.
func (t *Tally) IsOpen(call string) bool { return t.find(call) >= 0 }

// AddProcesses adds ended processes that belong to no call.
func (t *Tally) AddProcesses(p bellcord.Processes) { t.procs.Add(p) }

// SetBackground sets the processes that were declared to outlive the turn.
func (t *Tally) SetBackground(running []bellcord.Process) { t.procs.Background = running }

// SetChanges sets the changes to files.
func (t *Tally) SetChanges(c bellcord.Changes) { t.files = &c }

// AddSandbox adds the sandbox that a command of the turn ran in.
func (t *Tally) AddSandbox(s bellcord.Sandbox) { t.box = t.box.Weaker(&s) }

func (t *Tally) find(call string) int {
	return slices.IndexFunc(t.open, func(c openCall) bool { return c.Call == call })
}

// Receipt returns a receipt of the tally. The outcome of an open call depends on
// witnessed: if true, the turn's agent has returned and ended everything it
// started; if false, the outcome of a started call is unknown.
func (t *Tally) Receipt(witnessed bool) bellcord.Receipt {
	sum := *t
	sum.calls.Stopped = slices.Clone(t.calls.Stopped)
	sum.calls.NotStarted = slices.Clone(t.calls.NotStarted)
	sum.calls.Unknown = slices.Clone(t.calls.Unknown)
	for _, c := range t.open {
		sum.countCall(c.CallRef, openFate(c.started, witnessed))
	}
	return bellcord.Receipt{Times: sum.Times, Calls: sum.calls, Processes: sum.procs, Changes: sum.files, Sandbox: sum.box, Usage: t.meter.total(), UsageByModel: t.meter.byModel(), Kept: sum.kept, Incomplete: t.incomplete()}
}

// incomplete returns what is missing in the answer of the last step.
func (t *Tally) incomplete() bellcord.Incomplete {
	switch {
	case t.end == bellcord.FinishMaxOutput:
		return bellcord.IncompleteMaxOutput
	case t.end == bellcord.FinishRefused:
		return bellcord.IncompleteRefused
	case t.end == bellcord.FinishStop && t.said == 0 && !t.NeedsNoText:
		return bellcord.IncompleteEmpty
	}
	return ""
}

// NeedsNoText reports whether the turn of a prompt is complete without text: work
// without a prompt, and a command of a hosted agent, may consist of calls only.
func NeedsNoText(p bellcord.Prompt, hosted bool) bool {
	return p.Task == bellcord.TaskUnprompted || hosted && strings.HasPrefix(p.Text, "/")
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
