package telemetry

import (
	"slices"
	"time"

	"github.com/bellcord/bellcord"
)

// The possible values of labels.
var (
	ends   = []bellcord.End{bellcord.EndDone, bellcord.EndStopped, bellcord.EndFailed, bellcord.EndLost}
	causes = []bellcord.CauseKind{
		bellcord.CausePerson, bellcord.CauseDeadline, bellcord.CauseBudget, bellcord.CauseStepLimit,
		bellcord.CauseShutdown, bellcord.CauseReplaced, bellcord.CauseDisconnect,
	}
)

// other replaces values that are not in their set.
const other = "other"

// The phases of a stop.
const (
	streamClosed = "stream_closed"
	processGone  = "last_process_ended"
	settled      = "settled"
)

// nanodollars is the number of nanodollars in a dollar.
const nanodollars = 1e9

// turnEnded counts a receipt. A receipt is written once, so nothing is counted
// twice.
func (m *Metrics) turnEnded(r bellcord.Receipt) {
	end := oneOf(ends, r.End)
	m.turns.WithLabelValues(end, causeOf(r)).Inc()
	if t := r.Times; r.End != bellcord.EndLost && !t.Started.IsZero() {
		m.turnSeconds.WithLabelValues(end).Observe(max(0, t.Settled.Sub(t.Started).Seconds()))
	}
	if r.End == bellcord.EndStopped {
		m.stopped(r)
	}
	m.ended.Add(float64(len(r.Processes.Ended)))
	m.survivors.Add(float64(len(r.Processes.Survivors)))
	if r.AgentAbandoned {
		m.abandoned.Inc()
	}
	m.callsEnded(r.Calls)
	for _, s := range r.UsageByModel {
		model := m.models.bounded(s.Model)
		m.tokens.WithLabelValues(model, "input").Add(float64(max(0, s.InputTokens)))
		m.tokens.WithLabelValues(model, "output").Add(float64(max(0, s.OutputTokens)))
		m.cost.WithLabelValues(model).Add(float64(max(0, s.CostNanoUSD)) / nanodollars)
	}
}

// stopped records the duration of a stop. Stops that wait for the end of a
// step are not recorded: the limit does not apply to them.
func (m *Metrics) stopped(r bellcord.Receipt) {
	t := r.Times
	if t.StopRequested.IsZero() || r.Cause != nil && r.Cause.Mode == bellcord.StopAfterStep {
		return
	}
	from := t.StopRequested
	if t.Accepted.After(from) { // the stop arrived before its turn and had no effect until then
		from = t.Accepted
	}
	for phase, at := range map[string]time.Time{streamClosed: t.StreamClosed, processGone: t.LastProcessEnded, settled: t.Settled} {
		// A time before the request is not a phase of the stop: nothing was
		// open when the stop arrived.
		if !at.Before(from) {
			m.stopSeconds.WithLabelValues(phase).Observe(at.Sub(from).Seconds())
		}
	}
}

func (m *Metrics) callsEnded(c bellcord.Calls) {
	m.calls.WithLabelValues(string(bellcord.CallFinished)).Add(float64(c.Finished))
	m.calls.WithLabelValues(string(bellcord.CallStopped)).Add(float64(len(c.Stopped)))
	m.calls.WithLabelValues(string(bellcord.CallNotStarted)).Add(float64(len(c.NotStarted)))
	m.calls.WithLabelValues(string(bellcord.CallUnknown)).Add(float64(len(c.Unknown)))
}

func causeOf(r bellcord.Receipt) string {
	if r.Cause == nil {
		return ""
	}
	return oneOf(causes, r.Cause.Kind)
}

func oneOf[S ~string](set []S, s S) string {
	if slices.Contains(set, s) {
		return string(s)
	}
	return other
}

// mostModels is the maximum number of model names in labels.
const mostModels = 100

// names limits the values of a label that users choose: the first mostModels
// keep their names. It is not safe for concurrent use; only the goroutine that
// commits calls it.
type names struct{ seen map[string]bool }

func (n *names) bounded(model string) string {
	switch {
	case model == "":
		return "unknown" // a hosted agent that does not report its model
	case n.seen[model]:
		return model
	case len(n.seen) >= mostModels:
		return other
	}
	if n.seen == nil {
		n.seen = map[string]bool{}
	}
	n.seen[model] = true
	return model
}
