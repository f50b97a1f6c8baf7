package telemetry

import (
	"slices"
	"time"

	"github.com/bellcord/bellcord"
)

// The closed sets that labels come from.
var (
	ends   = []bellcord.End{bellcord.EndDone, bellcord.EndStopped, bellcord.EndFailed, bellcord.EndLost}
	causes = []bellcord.CauseKind{
		bellcord.CausePerson, bellcord.CauseDeadline, bellcord.CauseBudget, bellcord.CauseStepLimit,
		bellcord.CauseShutdown, bellcord.CauseReplaced, bellcord.CauseDisconnect,
	}
)

// other stands for whatever is not in its set.
const other = "other"

// The phases of a stop.
const (
	streamClosed = "stream_closed"
	processGone  = "last_process_ended"
	settled      = "settled"
)

// nanodollars are in a dollar.
const nanodollars = 1e9

// turnEnded counts a receipt: it is written once, so nothing counts twice.
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

// stopped times a stop. One that was to wait for a step is not held against
// the bound: it was asked to take its time.
func (m *Metrics) stopped(r bellcord.Receipt) {
	t := r.Times
	if t.StopRequested.IsZero() || r.Cause != nil && r.Cause.Mode == bellcord.StopAfterStep {
		return
	}
	from := t.StopRequested
	if t.Accepted.After(from) { // the stop came before its turn: it had nothing to do until then
		from = t.Accepted
	}
	for phase, at := range map[string]time.Time{streamClosed: t.StreamClosed, processGone: t.LastProcessEnded, settled: t.Settled} {
		// A moment before the request is no phase of the stop: nothing was open when it came.
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

// mostModels is how many names of models become labels.
const mostModels = 100

// names bounds a label that people choose: the first hundred keep their names.
// It is used by the one goroutine that commits.
type names struct{ known map[string]bool }

func (n *names) bounded(model string) string {
	switch {
	case model == "":
		return "unknown" // a hosted agent that does not say
	case n.known[model]:
		return model
	case len(n.known) >= mostModels:
		return other
	}
	if n.known == nil {
		n.known = map[string]bool{}
	}
	n.known[model] = true
	return model
}
