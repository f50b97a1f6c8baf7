package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/telemetry"
	"github.com/bellcord/bellcord/store"
)

// tick is the duration of every part of a turn in these tests.
const tick = time.Second

// busy emits one event of every kind, one per tick.
func busy(ctx context.Context, w *hub.Work) error {
	bodies := []bellcord.Body{
		bellcord.SideRequestStarted{Purpose: "title", Model: "openai/tiny"},
		bellcord.SideRequestEnded{Purpose: "title", Usage: bellcord.Usage{InputTokens: 5, OutputTokens: 6, Exact: true}},
		bellcord.StepStarted{Step: 1, Model: "openai/small"},
		bellcord.ModelRetryScheduled{Attempt: 1, RetryIn: tick, Reason: "SECRET"},
		bellcord.ThinkingDelta{Text: "SECRET"},
		bellcord.TextDelta{Text: "SECRET"},
		bellcord.ToolCallRequested{Call: "a", Name: "shell", Title: "SECRET", Arguments: []byte(`{"command":"SECRET"}`)},
		bellcord.ToolCallRequested{Call: "b", Name: "fetch", Arguments: []byte(`{}`)},
		bellcord.StepEnded{Finish: "tool_calls", Usage: &bellcord.Usage{InputTokens: 10, OutputTokens: 20, Exact: true}},
		bellcord.ToolCallStarted{Call: "a"},
		bellcord.ToolOutputDelta{Call: "a", Text: "SECRET"},
		bellcord.ToolCallEnded{Call: "a", Outcome: bellcord.CallFinished, Failed: true, Result: "SECRET"},
	}
	for _, b := range bodies {
		if err := emit(ctx, w, b); err != nil {
			return err
		}
		<-time.After(tick)
	}
	_, err := w.Ask(ctx, bellcord.Question{ID: "q", Call: "b", Text: "SECRET", Choices: []bellcord.Choice{{ID: "y", Text: "SECRET"}}})
	return err
}

// named returns the one span with the name.
func named(t *testing.T, spans tracetest.SpanStubs, name string) tracetest.SpanStub {
	t.Helper()
	var found []tracetest.SpanStub
	for _, s := range spans {
		if s.Name == name {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans are named %q", len(found), name)
	}
	return found[0]
}

// attributeText returns all attributes of a span, sorted.
func attributeText(attrs []attribute.KeyValue) string {
	set := attribute.NewSet(attrs...)
	return set.Encoded(attribute.DefaultEncoder())
}

func TestTraces_Turn_IsOneTraceWithTheTurnsID(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := newStage(t, dir, busy)
		turn := s.prompt(bellcord.Prompt{Text: "SECRET"})
		<-time.After(12*tick + tick/2)
		if err := s.Answer(turn.ID, "q", bellcord.Reply{Choice: "y"}, "anna"); err != nil {
			t.Fatal(err)
		}
		<-turn.Settled()
		synctest.Wait()
		spans := s.closeTraces()
		tests := []struct {
			name     string
			from, to time.Duration
			attrs    string
		}{
			{"queued", 0, 0, ""},
			{
				"chat openai/tiny", 0, tick,
				"bellcord.side_request.purpose=title,bellcord.usage.exact=true,gen_ai.operation.name=chat,gen_ai.provider.name=openai," +
					"gen_ai.request.model=openai/tiny,gen_ai.usage.input_tokens=5,gen_ai.usage.output_tokens=6",
			},
			{
				"chat openai/small", 2 * tick, 8 * tick,
				"bellcord.step=1,bellcord.usage.exact=true,gen_ai.operation.name=chat,gen_ai.provider.name=openai,gen_ai.request.model=openai/small," +
					`gen_ai.response.finish_reasons=["tool_calls"],gen_ai.usage.input_tokens=10,gen_ai.usage.output_tokens=20`,
			},
			{
				"execute_tool shell", 9 * tick, 11 * tick,
				"bellcord.call.outcome=finished,error.type=tool_failed,gen_ai.operation.name=execute_tool,gen_ai.tool.call.id=a,gen_ai.tool.name=shell",
			},
			{"wait for a person", 12 * tick, 12*tick + tick/2, "bellcord.question.answered=true,bellcord.question.id=q,gen_ai.tool.call.id=b"},
			{
				"invoke_agent goose", 0, 12*tick + tick/2,
				fmt.Sprintf("bellcord.abandoned=false,bellcord.end=done,bellcord.survivors=0,bellcord.turn.id=%s,bellcord.usage.exact=true,gen_ai.agent.name=goose,"+
					"gen_ai.conversation.id=%s,gen_ai.operation.name=invoke_agent,gen_ai.usage.input_tokens=15,gen_ai.usage.output_tokens=26", turn.ID, s.session.ID),
			},
		}
		if len(spans) != len(tests) {
			t.Errorf("%d spans", len(spans))
		}
		root := named(t, spans, "invoke_agent goose")
		for _, test := range tests {
			span := named(t, spans, test.name)
			if from, to := span.StartTime.Sub(began), span.EndTime.Sub(began); from != test.from || to != test.to {
				t.Errorf("%s: from %v to %v", test.name, from, to)
			}
			if got := attributeText(span.Attributes); got != test.attrs {
				t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.attrs)
			}
			if id := span.SpanContext.TraceID().String(); id != strings.ReplaceAll(string(turn.ID), "-", "") {
				t.Errorf("%s: trace %s of turn %s", test.name, id, turn.ID)
			}
			if span.Name != root.Name && span.Parent.SpanID() != root.SpanContext.SpanID() {
				t.Errorf("%s is not below the root", test.name)
			}
			if span.Status.Code != codes.Unset {
				t.Errorf("%s: status %v", test.name, span.Status)
			}
		}
		if len(root.Events) != 1 || root.Events[0].Name != "call not run" ||
			attributeText(root.Events[0].Attributes) != "bellcord.call.outcome=not_started,gen_ai.tool.call.id=b,gen_ai.tool.name=fetch" {
			t.Errorf("the call that never started: %v", root.Events)
		}
		if text := fmt.Sprintf("%+v", spans); strings.Contains(text, "SECRET") {
			t.Errorf("a trace says what was said: %s", text)
		}
	})
}

func TestTraces_Stop_IsAnEventAndNotAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, func(ctx context.Context, w *hub.Work) error {
			err := emit(ctx, w,
				bellcord.StepStarted{Step: 1, Model: "m"},
				bellcord.ToolCallRequested{Call: "a", Name: "shell"}, bellcord.ToolCallStarted{Call: "a"}, bellcord.ToolCallRequested{Call: "b", Name: "shell"})
			_, askErr := w.Ask(ctx, bellcord.Question{ID: "q"})
			<-time.After(tick)
			w.Report().Mark(hub.MomentStreamClosed)
			return errors.Join(err, askErr)
		})
		turn := s.prompt(bellcord.Prompt{Text: "go"})
		behind := s.prompt(bellcord.Prompt{Text: "and then"})
		<-time.After(tick)
		requested := time.Now()
		s.Stop(bellcord.StopRequest{Turn: turn.ID, Cause: bellcord.Cause{By: "anna", Source: "web", Reason: "wrong way"}, Queue: bellcord.QueueDrop})
		<-turn.Settled()
		<-behind.Settled()
		synctest.Wait()
		var first, second tracetest.SpanStubs
		for _, span := range s.closeTraces() {
			if span.SpanContext.TraceID().String() == strings.ReplaceAll(string(turn.ID), "-", "") {
				first = append(first, span)
			} else {
				second = append(second, span)
			}
		}
		root := named(t, first, "invoke_agent goose")
		if root.Status.Code != codes.Unset || !strings.Contains(attributeText(root.Attributes), "bellcord.end=stopped,bellcord.stop.by=anna,bellcord.stop.kind=person,bellcord.stop.reason=wrong way,bellcord.stop.source=web") {
			t.Errorf("root: %v %s", root.Status, attributeText(root.Attributes))
		}
		var recorded []string
		for _, ev := range root.Events {
			recorded = append(recorded, fmt.Sprint(ev.Name, " ", ev.Time.Sub(requested)))
		}
		if got := strings.Join(recorded, ", "); got != "stop 0s, call not run 1s, stream_closed 1s" {
			t.Errorf("events: %s", got)
		}
		for name, want := range map[string]string{
			"execute_tool shell": "bellcord.call.outcome=stopped,gen_ai.operation.name=execute_tool,gen_ai.tool.call.id=a,gen_ai.tool.name=shell",
			"wait for a person":  "bellcord.question.answered=false,bellcord.question.id=q",
			"chat m":             "bellcord.step=1,gen_ai.operation.name=chat,gen_ai.request.model=m",
		} {
			span := named(t, first, name)
			if attributeText(span.Attributes) != want || span.EndTime.Sub(requested) != tick || span.Status.Code != codes.Unset {
				t.Errorf("%s: %s, ended after %v, %v", name, attributeText(span.Attributes), span.EndTime.Sub(requested), span.Status)
			}
		}
		if queued := named(t, second, "queued"); len(second) != 2 || queued.EndTime.Sub(queued.StartTime) < tick {
			t.Errorf("the turn that waited: %v", second)
		}
	})
}

func TestTraces_FailedTurn_HasAnErrorStatusWithoutItsText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, dir, func(context.Context, *hub.Work) error { return errors.New("SECRET") })
		<-s.prompt(bellcord.Prompt{Text: "go"}).Settled()
		synctest.Wait()
		spans := s.closeTraces()
		root := named(t, spans, "invoke_agent goose")
		if root.Status.Code != codes.Error || !strings.Contains(attributeText(root.Attributes), "error.type=failed") || strings.Contains(fmt.Sprintf("%+v", spans), "SECRET") {
			t.Errorf("%+v", root)
		}
	})
}

// traced traces events without a hub and returns the spans.
func traced(t *testing.T, events ...bellcord.Event) tracetest.SpanStubs {
	t.Helper()
	spans := tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSyncer(spans), sdk.WithIDGenerator(telemetry.IDs{}))
	traces := telemetry.NewTraces(provider.Tracer("test"), nil)
	for _, ev := range events { // not faster than they are processed
		traces.Watch(store.Commit{Events: []bellcord.Event{ev}})
		for traces.Waiting() > 1000 {
			<-time.After(time.Millisecond)
		}
	}
	if err := traces.Close(t.Context()); err != nil || traces.Dropped() != 0 {
		t.Fatalf("%v, %d dropped", err, traces.Dropped())
	}
	return spans.GetSpans()
}

func TestTraces_LostTurn_IsTracedFromItsReceipt(t *testing.T) {
	t.Parallel()
	turn, accepted := bellcord.NewTurnID(), time.Now().Add(-time.Hour)
	before := traced(t, bellcord.Event{Turn: turn, Time: accepted, Body: bellcord.TurnAccepted{}},
		bellcord.Event{Turn: turn, Time: accepted, Body: bellcord.StepStarted{Model: "m"}},
		bellcord.Event{Turn: turn, Time: accepted.Add(tick), Body: bellcord.StepEnded{}})
	after := traced(t, bellcord.Event{Turn: turn, Time: time.Now(), Body: bellcord.TurnEnded{Receipt: bellcord.Receipt{
		End: bellcord.EndLost, Times: bellcord.Times{Accepted: accepted, Started: accepted.Add(tick)},
	}}})
	root := named(t, after, "invoke_agent bellcord")
	if !root.StartTime.Equal(accepted) || root.Status.Code != codes.Error || root.Status.Description == "" {
		t.Errorf("%+v", root)
	}
	if queued := named(t, after, "queued"); queued.EndTime.Sub(queued.StartTime) != tick {
		t.Errorf("%+v", queued)
	}
	if step := named(t, before, "chat m"); step.Parent.SpanID() != root.SpanContext.SpanID() || step.SpanContext.TraceID() != root.SpanContext.TraceID() {
		t.Error("what the dead process told is not in the same trace")
	}
}

func TestTraces_TooManyOpenTurns_DropsTheOldest(t *testing.T) {
	t.Parallel()
	var events []bellcord.Event
	for range 5000 {
		events = append(events, bellcord.Event{Turn: bellcord.NewTurnID(), Time: time.Now(), Body: bellcord.TurnAccepted{}})
	}
	first, last := events[0].Turn, events[4999].Turn
	for _, turn := range []bellcord.TurnID{first, last} {
		events = append(events,
			bellcord.Event{Turn: turn, Time: time.Now(), Body: bellcord.TurnStarted{}},
			bellcord.Event{Turn: turn, Time: time.Now(), Body: bellcord.StepStarted{Model: string(turn)}},
			bellcord.Event{Turn: turn, Time: time.Now(), Body: bellcord.TurnEnded{}})
	}
	spans := traced(t, events...)
	named(t, spans, "chat "+string(last))
	if len(spans) != 5 { // of the first turn, only the spans from its end
		t.Errorf("%d spans", len(spans))
	}
}

func TestTracesWatch_QueueFull_DropsEventsWithoutBlocking(t *testing.T) {
	t.Parallel()
	never := make(chan struct{})
	traces := telemetry.NewTraces(sdk.NewTracerProvider().Tracer("test"), func(bellcord.SessionID) string {
		<-never
		return ""
	})
	event := bellcord.Event{Turn: bellcord.NewTurnID(), Body: bellcord.TurnAccepted{}}
	for range 10_000 {
		traces.Watch(store.Commit{Events: []bellcord.Event{event}})
	}
	if n := traces.Dropped(); n < 10_000-8192-1 || n > 10_000-8192 {
		t.Errorf("%d dropped", n)
	}
	ctx, done := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer done()
	if err := traces.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("closing while it cannot be: %v", err)
	}
	close(never)
	if err := traces.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestIDs_AnyTurnID_AreValid(t *testing.T) {
	t.Parallel()
	for _, turn := range []bellcord.TurnID{
		"00000000-0000-0000-0000-000000000000", "01890000-0000-7000-0000-000000000000", "01890000-0000-7000-8000-000000000001", "short",
	} {
		root := named(t, traced(t, bellcord.Event{Turn: turn, Time: time.Now(), Body: bellcord.TurnEnded{}}), "invoke_agent bellcord")
		if !root.SpanContext.IsValid() {
			t.Errorf("%s: %v", turn, root.SpanContext)
		}
	}
}
