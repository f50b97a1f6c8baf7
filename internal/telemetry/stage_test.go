package telemetry_test

import (
	"context"
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/telemetry"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// script is a function that implements hub.Agent.
type script func(ctx context.Context, w *hub.Work) error

func (s script) Run(ctx context.Context, w *hub.Work) error { return s(ctx, w) }

// stage is a hub on a real store, with metrics and traces.
type stage struct {
	*hub.Hub
	t       *testing.T
	session bellcord.Session
	reg     *prometheus.Registry
	metrics *telemetry.Metrics
	traces  *telemetry.Traces
	spans   *tracetest.InMemoryExporter
}

// newStage must be called inside a synctest bubble; dir must be created
// outside it.
func newStage(t *testing.T, dir string, agent script) *stage {
	t.Helper()
	kept, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, reg: prometheus.NewRegistry(), spans: tracetest.NewInMemoryExporter()}
	s.metrics = telemetry.NewMetrics(s.reg, func() hub.Stats { return s.Stats() })
	provider := sdk.NewTracerProvider(sdk.WithSyncer(s.spans), sdk.WithIDGenerator(telemetry.IDs{}))
	s.traces = telemetry.NewTraces(provider.Tracer("test"), func(id bellcord.SessionID) string {
		session, err := kept.Session(context.Background(), id)
		if err != nil {
			t.Error(err)
		}
		return session.Agent
	})
	if err := s.traces.Register(s.reg); err != nil {
		t.Fatal(err)
	}
	watch := func(c store.Commit) {
		s.metrics.Watch(c)
		s.traces.Watch(c)
	}
	if s.Hub, err = hub.Open(t.Context(), kept, agent, hub.Options{Watch: watch}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.Background()
		if err := errors.Join(s.Close(ctx), s.traces.Close(ctx), kept.Close()); err != nil {
			t.Error(err)
		}
	})
	if s.session, err = s.NewSession(t.Context(), bellcord.Session{Dir: dir, Agent: "goose"}); err != nil {
		t.Fatal(err)
	}
	return s
}

// prompt accepts a turn.
func (s *stage) prompt(p bellcord.Prompt) *hub.Turn {
	s.t.Helper()
	turn, err := s.Prompt(s.session.ID, p)
	if err != nil {
		s.t.Fatal(err)
	}
	return turn
}

// closeTraces closes the traces and returns all spans.
func (s *stage) closeTraces() tracetest.SpanStubs {
	s.t.Helper()
	if err := s.traces.Close(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return s.spans.GetSpans()
}

// emit emits the bodies, each in a separate commit.
func emit(ctx context.Context, w *hub.Work, bodies ...bellcord.Body) error {
	for _, b := range bodies {
		if err := errors.Join(w.Emit(b), w.Sync(ctx)); err != nil {
			return err
		}
	}
	return nil
}
