package app

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/telemetry"
	"github.com/bellcord/bellcord/store"
)

// reports logs the turns that are stopped or fail, and sends traces of all
// turns if OpenTelemetry's variables name an endpoint.
type reports struct {
	ends        *telemetry.EndLog
	writing     sync.WaitGroup // ends.Run
	traces      *telemetry.Traces
	closeTraces func(context.Context) error
}

// openReports starts the reports that the Config requires. Traces contain the
// session's agent, which is available after opened is closed.
func (a *App) openReports(ctx context.Context, opened <-chan struct{}) error {
	if a.config.TurnLog == nil {
		return nil
	}
	agentName := func(id bellcord.SessionID) string {
		<-opened
		return a.agentName(id)
	}
	traces, closeTraces, err := openTraces(ctx, a.config.Version, a.logger, agentName)
	if err != nil {
		return err
	}
	a.reports = &reports{ends: telemetry.NewEndLog(a.config.TurnLog), traces: traces, closeTraces: closeTraces}
	a.reports.writing.Go(a.reports.ends.Run)
	return nil
}

// watch implements hub.Options.Watch.
func (r *reports) watch(c store.Commit) {
	r.ends.Watch(c)
	if r.traces != nil {
		r.traces.Watch(c)
	}
}

// RegisterMetrics registers the metrics of traces and of the connection to other
// nodes, if there are any.
func (a *App) RegisterMetrics(registry prometheus.Registerer) error {
	if a.reports != nil && a.reports.traces != nil {
		if err := a.reports.traces.Register(registry); err != nil {
			return err
		}
	}
	if a.bus != nil {
		return telemetry.RegisterRefusals(registry, a.bus.Refused)
	}
	return nil
}

// reportTimeout limits how long sending the last reports may take.
const reportTimeout = 5 * time.Second

// closeReports writes and sends the remaining reports. The hub must be closed.
func (a *App) closeReports() error {
	if a.reports == nil {
		return nil
	}
	a.reports.ends.Close()
	a.reports.writing.Wait()
	ctx, done := context.WithTimeout(context.Background(), reportTimeout)
	defer done()
	return a.reports.closeTraces(ctx)
}
