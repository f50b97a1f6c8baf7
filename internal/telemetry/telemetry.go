// Package telemetry tells operators what a hub does, in numbers and in traces.
// Both are made from the durable events alone, by way of bellcord.Options.Watch:
// what is not on record is not counted, and a turn knows nothing of either.
//
// Nothing here makes a commit wait. Metrics are counted where the commit is
// told; traces are handed to a goroutine of their own, and what it cannot keep
// up with is dropped and counted. No word of a prompt, an answer, a call's
// arguments or its result is in any of it.
package telemetry

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// NewRegistry returns a registry of our own, with what Go and the system know
// of the process. The library's global one is not used: whatever is linked in
// may have written to it.
func NewRegistry() *prometheus.Registry {
	reg := prometheus.NewRegistry()
	reg.MustRegister( // an empty registry takes them
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return reg
}

// Handler answers scrapes. Who may scrape is the caller's to decide.
func Handler(reg prometheus.Gatherer) http.Handler {
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}
