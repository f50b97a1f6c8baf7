package app

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/telemetry"
	"github.com/bellcord/bellcord/store/sqlite"
)

// receiver accepts traces as an OpenTelemetry collector does.
type receiver struct {
	mu       sync.Mutex
	paths    []string
	requests []*tracepb.TracesData
}

func (c *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = unzipped
	}
	data, err := io.ReadAll(body)
	request := &tracepb.TracesData{}
	if err := errors.Join(err, proto.Unmarshal(data, request)); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paths = append(c.paths, r.Method+" "+r.URL.Path)
	c.requests = append(c.requests, request)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// quick is an agent that emits one word.
type quick struct{}

func (quick) Run(ctx context.Context, w *hub.Work) error {
	return errors.Join(
		w.Step(ctx, bellcord.StepStarted{Model: "openai/small"}),
		w.Emit(bellcord.TextDelta{Text: "SECRET"}),
		w.Emit(bellcord.StepEnded{Finish: "stop"}))
}

// runTurn runs a turn on a real hub with the traces attached, and closes
// everything.
func runTurn(t *testing.T, traces *telemetry.Traces, closeTraces func(context.Context) error) bellcord.TurnID {
	t.Helper()
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	hub, err := hub.Open(t.Context(), store, quick{}, hub.Options{Watch: traces.Watch})
	if err != nil {
		t.Fatal(err)
	}
	session, err := hub.NewSession(t.Context(), bellcord.Session{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := hub.Prompt(session.ID, bellcord.Prompt{Text: "SECRET"})
	if err != nil {
		t.Fatal(err)
	}
	<-turn.Settled()
	if err := errors.Join(hub.Close(t.Context()), closeTraces(t.Context()), store.Close()); err != nil {
		t.Fatal(err)
	}
	return turn.ID
}

func TestOpenTraces_WithAnEndpoint_SendsATraceOfTheTurn(t *testing.T) {
	sink := &receiver{}
	server := httptest.NewServer(sink)
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_SERVICE_NAME", "agents-of-ours")
	traces, closeTraces, err := openTraces(t.Context(), "1.2.3", slog.Default(), nil)
	if err != nil {
		t.Fatal(err)
	}
	turn := runTurn(t, traces, closeTraces)
	if len(sink.requests) != 1 || sink.paths[0] != "POST /v1/traces" {
		t.Fatalf("the collector got %q", sink.paths)
	}
	sent := sink.requests[0].ResourceSpans[0]
	var about, spans []string
	for _, attr := range sent.Resource.Attributes {
		about = append(about, attr.Key+"="+attr.Value.GetStringValue())
	}
	if !slices.Contains(about, "service.name=agents-of-ours") || !slices.Contains(about, "service.version=1.2.3") {
		t.Errorf("sent by %q", about)
	}
	id := strings.ReplaceAll(string(turn), "-", "")
	for _, span := range sent.ScopeSpans[0].Spans {
		spans = append(spans, span.Name)
		if trace.TraceID(span.TraceId).String() != id {
			t.Errorf("%s is in trace %x of turn %s", span.Name, span.TraceId, turn)
		}
	}
	slices.Sort(spans)
	if got := strings.Join(spans, ", "); got != "chat openai/small, invoke_agent bellcord, queued" {
		t.Errorf("spans: %s", got)
	}
	if strings.Contains(sent.String(), "SECRET") {
		t.Error("the trace says what was said")
	}
}

func TestOpenTraces_WithoutAnEndpoint_ReturnsNil(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
	traces, closeTraces, err := openTraces(t.Context(), "1.2.3", slog.Default(), nil)
	if traces != nil || err != nil {
		t.Fatalf("%v, %v", traces, err)
	}
	if err := closeTraces(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestOpenTraces_InvalidEndpoint_SendsNothing(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4317")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
	var log strings.Builder
	traces, _, err := openTraces(t.Context(), "1.2.3", slog.New(slog.NewTextHandler(&log, nil)), nil)
	if traces != nil || err != nil || !strings.Contains(log.String(), "OTEL_EXPORTER_OTLP_ENDPOINT") {
		t.Errorf("%v, %v: %s", traces, err, log.String())
	}
}

func TestTurnSampler_Ratio_SamplesThatShareOfTurns(t *testing.T) {
	t.Parallel()
	sampler, err := turnSampler("traceidratio", "0.25")
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	for range 4000 {
		id, err := trace.TraceIDFromHex(strings.ReplaceAll(string(bellcord.NewTurnID()), "-", ""))
		if err != nil {
			t.Fatal(err)
		}
		if sampler.ShouldSample(sdk.SamplingParameters{ParentContext: t.Context(), TraceID: id}).Decision == sdk.RecordAndSample {
			taken++
		}
	}
	if taken < 800 || taken > 1200 { // seven standard deviations
		t.Errorf("%d of 4000 turns are sampled, want a quarter", taken)
	}
	for _, share := range []string{"-1", "1.5", "NaN", "many"} {
		if _, err := turnSampler("parentbased_traceidratio", share); err == nil {
			t.Errorf("a share of %s is accepted", share)
		}
	}
}
