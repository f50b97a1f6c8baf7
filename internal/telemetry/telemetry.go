// Package telemetry exports metrics and traces of a hub. Both are derived only
// from durable events, through hub.Options.Watch: events that are not durable
// are not counted, and turns do not depend on telemetry.
//
// Telemetry never delays a commit. Metrics are counted during Watch. Traces
// are processed by a separate goroutine; events that it cannot keep up with
// are dropped and counted. Metrics and traces contain no text of a prompt, an
// answer, a call's arguments or its result.
package telemetry

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// NewRegistry returns a registry with metrics of Go and the process. The
// library's global registry is not used, because any linked package may have
// registered metrics there.
func NewRegistry() *prometheus.Registry {
	reg := prometheus.NewRegistry()
	reg.MustRegister( // cannot panic: the registry is empty
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return reg
}

// Handler serves scrapes. The caller must check access.
func Handler(reg prometheus.Gatherer) http.Handler {
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}
