package telemetry

import "github.com/prometheus/client_golang/prometheus"

// refusals counts the refused messages of other nodes.
type refusals struct{ now func() map[string]uint64 }

var refusedMessages = prometheus.NewDesc("bellcord_bus_refused_total",
	"Refused NATS messages, by reason. Apart from a few at a restart, each one is an attack or a misconfiguration.", []string{"reason"}, nil)

// RegisterRefusals registers the number of refused messages, which now returns
// by reason. now is only called at scrapes.
func RegisterRefusals(reg prometheus.Registerer, now func() map[string]uint64) error {
	return reg.Register(refusals{now})
}

// Describe implements prometheus.Collector.
func (refusals) Describe(out chan<- *prometheus.Desc) { out <- refusedMessages }

// Collect implements prometheus.Collector.
func (r refusals) Collect(out chan<- prometheus.Metric) {
	for reason, n := range r.now() {
		out <- prometheus.MustNewConstMetric(refusedMessages, prometheus.CounterValue, float64(n), reason)
	}
}
