package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/bellcord/bellcord"
)

// Live tells what a hub has open, now: its Stats.
type Live func() bellcord.Stats

// gauges reads what is open when it is scraped, so that it is never stale and
// costs nothing in between.
type gauges struct{ now Live }

var (
	openTurns = prometheus.NewDesc("bellcord_turns",
		"Turns that have not ended, by state: running, queued (including held ones), waiting (for a person).", []string{"state"}, nil)
	openSessions = prometheus.NewDesc("bellcord_sessions_open", "Open sessions.", nil, nil)
)

// Describe names the gauges.
func (gauges) Describe(out chan<- *prometheus.Desc) {
	out <- openTurns
	out <- openSessions
}

// Collect reads them, all from one moment. A turn is in one state: one that
// waits for a person does not run.
func (g gauges) Collect(out chan<- prometheus.Metric) {
	s := g.now()
	for state, n := range map[string]int{"running": s.Running - s.Waiting, "queued": s.Queued + s.Held, "waiting": s.Waiting} {
		out <- prometheus.MustNewConstMetric(openTurns, prometheus.GaugeValue, float64(n), state)
	}
	out <- prometheus.MustNewConstMetric(openSessions, prometheus.GaugeValue, float64(s.Sessions))
}
