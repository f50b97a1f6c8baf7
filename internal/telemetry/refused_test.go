package telemetry_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bellcord/bellcord/internal/telemetry"
)

func TestRegisterRefusals_ExportsCountsByReason(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	if err := telemetry.RegisterRefusals(reg, func() map[string]uint64 { return map[string]uint64{"unsigned": 3, "time": 0} }); err != nil {
		t.Fatal(err)
	}
	shows(t, reg, `
		bellcord_bus_refused_total{reason="time"} 0
		bellcord_bus_refused_total{reason="unsigned"} 3`)
}
