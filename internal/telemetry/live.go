package telemetry

import (
	"github.com/bellcord/bellcord/hub"
	"github.com/prometheus/client_golang/prometheus"
)

// Live returns the current Stats of a hub.
type Live func() hub.Stats

// gauges reads the hub's Stats at each scrape, so that values are never stale
// and cost nothing in between.
type gauges struct{ now Live }

var (
	openTurns = prometheus.NewDesc("bellcord_turns",
		"Turns that have not ended, by state: running, queued (including held ones), waiting (for a person).", []string{"state"}, nil)
	openSessions = prometheus.NewDesc("bellcord_sessions_open", "Open sessions.", nil, nil)
)

// Describe implements prometheus.Collector.
func (gauges) Describe(out chan<- *prometheus.Desc) {
	out <- openTurns
	out <- openSessions
}

// Collect implements prometheus.Collector. All values are from the same
// moment. A turn is in one state: a turn that waits for a person is not
// counted as running.
func (g gauges) Collect(out chan<- prometheus.Metric) {
	s := g.now()
	for state, n := range map[string]int{"running": s.Running - s.Waiting, "queued": s.Queued + s.Held, "waiting": s.Waiting} {
		out <- prometheus.MustNewConstMetric(openTurns, prometheus.GaugeValue, float64(n), state)
	}
	out <- prometheus.MustNewConstMetric(openSessions, prometheus.GaugeValue, float64(s.Sessions))
}
