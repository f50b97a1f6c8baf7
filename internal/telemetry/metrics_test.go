package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/telemetry"
	"github.com/bellcord/bellcord/store"
)

// shows compares metrics, in the format of a scrape, with the expected text.
func shows(t *testing.T, reg prometheus.Gatherer, want string) {
	t.Helper()
	text := map[string][]string{}
	for line := range strings.Lines(want) {
		line = strings.TrimSpace(line)
		if name, _, _ := strings.Cut(strings.ReplaceAll(line, "{", " "), " "); name != "" {
			text[name] = append(text[name], line)
		}
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		lines := text[f.GetName()]
		if lines == nil {
			continue
		}
		delete(text, f.GetName())
		expected := fmt.Sprintf("# HELP %s %s\n# TYPE %s %s\n%s\n", f.GetName(), f.GetHelp(),
			f.GetName(), strings.ToLower(f.GetType().String()), strings.Join(lines, "\n"))
		if err := testutil.GatherAndCompare(reg, strings.NewReader(expected), f.GetName()); err != nil {
			t.Error(err)
		}
	}
	for name := range text {
		t.Errorf("there is no %s", name)
	}
}

// seconds returns the number of stops that reached a phase and the sum of
// their times.
func seconds(t *testing.T, reg prometheus.Gatherer, phase string) (n uint64, sum float64) {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "bellcord_stop_duration_seconds" && m.GetLabel()[0].GetValue() == phase {
				return m.GetHistogram().GetSampleCount(), m.GetHistogram().GetSampleSum()
			}
		}
	}
	t.Fatalf("no phase %s", phase)
	return 0, 0
}

const zeroTurns = `
	bellcord_turns_total{cause="",end="failed"} 0
	bellcord_turns_total{cause="",end="lost"} 0
	bellcord_turns_total{cause="",end="stopped"} 0
	bellcord_turns_total{cause="budget",end="stopped"} 0
	bellcord_turns_total{cause="deadline",end="stopped"} 0
	bellcord_turns_total{cause="disconnect",end="stopped"} 0
	bellcord_turns_total{cause="replaced",end="stopped"} 0
	bellcord_turns_total{cause="shutdown",end="stopped"} 0
	bellcord_turns_total{cause="step_limit",end="stopped"} 0
`

func TestMetrics_FinishedTurn_IsCounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, func(ctx context.Context, w *hub.Work) error {
			price := &bellcord.Price{Input: 3000, Output: 15000}
			return errors.Join(
				w.Step(ctx, bellcord.StepStarted{Model: "openai/small", Price: price}),
				emit(ctx, w,
					bellcord.ModelRetryScheduled{Attempt: 1, RetryIn: time.Second, Reason: "busy"},
					bellcord.ToolCallRequested{Call: "a", Name: "shell"},
					bellcord.StepEnded{Finish: "tool_calls", Usage: &bellcord.Usage{InputTokens: 1000, OutputTokens: 100, Exact: true}},
					bellcord.ToolCallStarted{Call: "a"},
					bellcord.ToolCallEnded{Call: "a", Outcome: bellcord.CallFinished, Processes: &bellcord.Processes{
						Ended: []bellcord.Process{{PID: 1}, {PID: 2}}, Survivors: []bellcord.Process{{PID: 3}},
					}},
				),
			)
		})
		<-s.prompt(bellcord.Prompt{Text: "go"}).Settled()
		synctest.Wait() // Watch is called after Settled is closed
		shows(t, s.reg, zeroTurns+`
			bellcord_turns_total{cause="",end="done"} 1
			bellcord_turns_total{cause="person",end="stopped"} 0
			bellcord_tokens_total{direction="input",model="openai/small"} 1000
			bellcord_tokens_total{direction="output",model="openai/small"} 100
			bellcord_cost_usd_total{model="openai/small"} 0.0045
			bellcord_tool_calls_total{outcome="finished"} 1
			bellcord_tool_calls_total{outcome="not_started"} 0
			bellcord_tool_calls_total{outcome="stopped"} 0
			bellcord_tool_calls_total{outcome="unknown"} 0
			bellcord_processes_ended_total 2
			bellcord_processes_survived_total 1
			bellcord_agents_abandoned_total 0
			bellcord_model_retries_total 1
			bellcord_questions_total 0
			bellcord_trace_events_dropped_total 0
			bellcord_sessions_open 1
			bellcord_turns{state="queued"} 0
			bellcord_turns{state="running"} 0
			bellcord_turns{state="waiting"} 0
			bellcord_events_total{kind="tool_call_ended"} 1
			bellcord_events_total{kind="tool_call_started"} 1
			bellcord_events_total{kind="tool_call_requested"} 1
			bellcord_events_total{kind="session_updated"} 1
			bellcord_events_total{kind="turn_ended"} 1
			bellcord_events_total{kind="turn_accepted"} 1
			bellcord_events_total{kind="model_retry_scheduled"} 1
			bellcord_events_total{kind="turn_started"} 1
			bellcord_events_total{kind="step_ended"} 1
			bellcord_events_total{kind="step_started"} 1`)
		if n, _ := seconds(t, s.reg, "settled"); n != 0 {
			t.Errorf("%d stops were timed; there was none", n)
		}
	})
}

func TestMetrics_Stop_RecordsTheTimeOfEachPhase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, func(ctx context.Context, w *hub.Work) error {
			<-ctx.Done()
			<-time.After(100 * time.Millisecond)
			w.Report().Mark(hub.MomentStreamClosed)
			<-time.After(200 * time.Millisecond)
			w.Report().Mark(hub.MomentProcessEnded)
			<-time.After(400 * time.Millisecond)
			return ctx.Err()
		})
		turn := s.prompt(bellcord.Prompt{Text: "go"})
		<-time.After(time.Minute)
		s.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{By: "anna"}))
		<-turn.Settled()
		synctest.Wait()
		for phase, want := range map[string]float64{"stream_closed": .1, "last_process_ended": .3, "settled": .7} {
			if n, sum := seconds(t, s.reg, phase); n != 1 || sum < want-.001 || sum > want+.001 {
				t.Errorf("%s: %d of %v s, want one of %v s", phase, n, sum, want)
			}
		}
		shows(t, s.reg, zeroTurns+`
			bellcord_turns_total{cause="",end="done"} 0
			bellcord_turns_total{cause="person",end="stopped"} 1`)
	})
}

func TestMetrics_TimeThatIsNotPartOfTheStop_IsNotRecorded(t *testing.T) {
	t.Parallel()
	at := func(s int) time.Time { return time.Unix(int64(1000+s), 0) }
	tests := []struct {
		name    string
		receipt bellcord.Receipt
		n       uint64
		sum     float64
	}{
		{
			"a stream that was closed before the stop",
			bellcord.Receipt{Times: bellcord.Times{Accepted: at(0), StreamClosed: at(1), StopRequested: at(2), Settled: at(3)}},
			1, 1,
		},
		{
			"the time that a stop waited for its turn to come",
			bellcord.Receipt{Times: bellcord.Times{StopRequested: at(0), Accepted: at(500), Settled: at(502)}},
			1, 2,
		},
		{
			"the step that a stop was to wait for",
			bellcord.Receipt{
				Cause: &bellcord.Cause{Kind: bellcord.CausePerson, Mode: bellcord.StopAfterStep},
				Times: bellcord.Times{Accepted: at(0), StopRequested: at(1), Settled: at(100)},
			},
			0, 0,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			reg := prometheus.NewRegistry()
			m := telemetry.NewMetrics(reg, func() hub.Stats { return hub.Stats{} })
			test.receipt.End = bellcord.EndStopped
			m.Watch(ended(test.receipt))
			if n, sum := seconds(t, reg, "settled"); n != test.n || sum != test.sum {
				t.Errorf("settled: %d of %v s", n, sum)
			}
			if n, _ := seconds(t, reg, "stream_closed"); n != 0 {
				t.Errorf("stream_closed: %d", n)
			}
		})
	}
}

// ended returns the commit of a turn's end.
func ended(r bellcord.Receipt) store.Commit {
	return store.Commit{Ops: 1, Events: []bellcord.Event{{Turn: bellcord.NewTurnID(), Body: bellcord.TurnEnded{Receipt: r}}}}
}

func TestGauges_OpenTurnsAndViewers_AreCurrent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, func(ctx context.Context, w *hub.Work) error {
			_, err := w.Ask(ctx, bellcord.Question{ID: "q", Text: "May I?"})
			<-ctx.Done()
			return err
		})
		first := s.prompt(bellcord.Prompt{Text: "go"})
		s.prompt(bellcord.Prompt{Text: "and then"})
		s.metrics.Viewers(2)
		s.metrics.Viewers(-1)
		synctest.Wait()
		shows(t, s.reg, `
			bellcord_turns{state="queued"} 1
			bellcord_turns{state="running"} 0
			bellcord_turns{state="waiting"} 1
			bellcord_questions_total 1
			bellcord_event_streams 1`)
		if err := s.Answer(first.ID, "q", bellcord.Reply{Choice: "yes"}, "anna"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		shows(t, s.reg, `
			bellcord_turns{state="queued"} 1
			bellcord_turns{state="running"} 1
			bellcord_turns{state="waiting"} 0`)
		s.Stop(bellcord.StopTurn(first.ID, bellcord.Cause{})) // holds the other turn
		synctest.Wait()
		shows(t, s.reg, `
			bellcord_turns{state="queued"} 1
			bellcord_turns{state="running"} 0
			bellcord_turns{state="waiting"} 0`)
	})
}

func TestMetrics_LabelsFromUsers_AreLimited(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	m := telemetry.NewMetrics(reg, func() hub.Stats { return hub.Stats{} })
	for i := range 150 {
		m.Watch(ended(bellcord.Receipt{
			End:          bellcord.EndDone,
			Cause:        &bellcord.Cause{Kind: bellcord.CauseKind(fmt.Sprint("invented", i))},
			UsageByModel: []bellcord.ModelUsage{{Model: fmt.Sprint("m/", i), Usage: bellcord.Usage{OutputTokens: 1}}, {Model: "m/0"}, {Usage: bellcord.Usage{OutputTokens: 2}}},
		}))
	}
	if n, err := testutil.GatherAndCount(reg, "bellcord_cost_usd_total"); err != nil || n != 102 {
		t.Errorf("%d models, %v; want a hundred, other and unknown", n, err)
	}
	shows(t, reg, zeroTurns+`
		bellcord_turns_total{cause="",end="done"} 0
		bellcord_turns_total{cause="person",end="stopped"} 0
		bellcord_turns_total{cause="other",end="done"} 150`)
}

// BenchmarkWatch measures the cost of metrics for the goroutine that commits:
// a commit of 16 events of a busy stream.
func BenchmarkWatch(b *testing.B) {
	m := telemetry.NewMetrics(prometheus.NewRegistry(), func() hub.Stats { return hub.Stats{} })
	c := store.Commit{Ops: 16, Took: time.Millisecond}
	for range 16 {
		c.Events = append(c.Events, bellcord.Event{Turn: "t", Body: bellcord.TextDelta{Text: "word"}})
	}
	for b.Loop() {
		m.Watch(c)
	}
}
