package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Metrics counts the commits of a hub. The values of labels are from closed
// sets, except for model names, which are limited in number.
type Metrics struct {
	commitOps     prometheus.Histogram
	commitSeconds prometheus.Histogram
	events        *prometheus.CounterVec
	questions     prometheus.Counter
	retries       prometheus.Counter
	viewers       prometheus.Gauge

	turns       *prometheus.CounterVec
	turnSeconds *prometheus.HistogramVec
	stopSeconds *prometheus.HistogramVec
	calls       *prometheus.CounterVec
	ended       prometheus.Counter
	survivors   prometheus.Counter
	abandoned   prometheus.Counter
	tokens      *prometheus.CounterVec
	cost        *prometheus.CounterVec
	models      names
}

// Buckets of the histograms, in seconds, except for opsBounds. Those of stops
// include 1 s and 10 s: law 12 requires that 99 % of all stops settle within
// the first, and all within the second.
var (
	stopBounds   = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	commitBounds = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5}
	turnBounds   = []float64{.1, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600}
	opsBounds    = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
)

// NewMetrics registers the metrics of one hub; a second call with the same
// registry panics. now is only called at scrapes, so the hub, which needs
// Watch, may be opened later.
func NewMetrics(reg prometheus.Registerer, now Live) *Metrics {
	in := promauto.With(reg)
	counter := func(name, help string) prometheus.Counter {
		return in.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return in.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, bounds []float64) prometheus.Histogram {
		return in.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds})
	}
	histograms := func(name, help string, bounds []float64, labels ...string) *prometheus.HistogramVec {
		return in.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds}, labels)
	}
	m := &Metrics{
		commitOps:     histogram("bellcord_commit_operations", "Operations per commit.", opsBounds),
		commitSeconds: histogram("bellcord_commit_duration_seconds", "Duration of a commit.", commitBounds),
		events:        counters("bellcord_events_total", "Durable events, by kind.", "kind"),
		questions:     counter("bellcord_questions_total", "Questions asked of people."),
		retries:       counter("bellcord_model_retries_total", "Retries of model requests."),
		viewers:       in.NewGauge(prometheus.GaugeOpts{Name: "bellcord_event_streams", Help: "Open event streams."}),

		turns:       counters("bellcord_turns_total", "Ended turns, by end and by the cause of the stop.", "end", "cause"),
		turnSeconds: histograms("bellcord_turn_duration_seconds", "Time from the start of a turn to its end. Excludes lost turns, whose end time is unknown.", turnBounds, "end"),
		stopSeconds: histograms("bellcord_stop_duration_seconds", "Time from a stop request to each phase of the stop. Excludes stops that wait for the end of a step.", stopBounds, "phase"),
		calls:       counters("bellcord_tool_calls_total", "Tool calls of ended turns, by outcome.", "outcome"),
		ended:       counter("bellcord_processes_ended_total", "Processes ended with their tool call or turn."),
		survivors:   counter("bellcord_processes_survived_total", "Processes that survived the attempt to end them. Must be 0."),
		abandoned:   counter("bellcord_agents_abandoned_total", "Agents that ignored a stop and were abandoned."),
		tokens:      counters("bellcord_tokens_total", "Tokens used by ended turns.", "model", "direction"),
		cost:        counters("bellcord_cost_usd_total", "Cost of ended turns in US dollars, where prices are known.", "model"),
	}
	reg.MustRegister(gauges{now})
	m.beginAtZero()
	return m
}

// beginAtZero creates the series of closed sets with the value 0, so that the
// first failure is an increase.
func (m *Metrics) beginAtZero() {
	for _, end := range ends {
		m.turns.WithLabelValues(string(end), "")
		if end != bellcord.EndLost {
			m.turnSeconds.WithLabelValues(string(end))
		}
	}
	for _, cause := range causes {
		m.turns.WithLabelValues(string(bellcord.EndStopped), string(cause))
	}
	for _, phase := range []string{streamClosed, processGone, settled} {
		m.stopSeconds.WithLabelValues(phase)
	}
	for _, fate := range []bellcord.CallOutcome{bellcord.CallNotStarted, bellcord.CallFinished, bellcord.CallStopped, bellcord.CallUnknown} {
		m.calls.WithLabelValues(string(fate))
	}
}

// Watch counts a commit. It never blocks. It implements hub.Options.Watch and
// is called by the goroutine that commits.
func (m *Metrics) Watch(c store.Commit) {
	m.commitOps.Observe(float64(c.Ops))
	m.commitSeconds.Observe(c.Took.Seconds())
	for _, ev := range c.Events {
		m.events.WithLabelValues(ev.Body.Kind()).Inc()
		switch b := ev.Body.(type) {
		case bellcord.QuestionOpened:
			m.questions.Inc()
		case bellcord.ModelRetryScheduled:
			m.retries.Inc()
		case bellcord.TurnEnded:
			m.turnEnded(b.Receipt)
		}
	}
}

// Viewers adds delta to the number of open event streams: 1 when a viewer
// connects, -1 when it disconnects.
func (m *Metrics) Viewers(delta int) { m.viewers.Add(float64(delta)) }
