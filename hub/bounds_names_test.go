package hub_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

var longName = strings.Repeat("n", 10_000)

func TestSession_LongOrInvalidName_IsRejected(t *testing.T) {
	t.Parallel()
	h := open(t, script(streamWords), hub.Options{})
	for _, bad := range []string{longName, "a\x00b", "\xff"} {
		for _, s := range []bellcord.Session{{Owner: bad}, {Agent: bad}, {Model: bad}, {Mode: bad}, {Effort: bad}, {Title: bad}, {ID: bellcord.SessionID(bad)}} {
			if _, err := h.NewSession(t.Context(), s); !errors.Is(err, bellcord.ErrRejected) {
				t.Errorf("NewSession with %.10q: %v, want ErrRejected", bad, err)
			}
		}
		for _, c := range []bellcord.SessionUpdated{{Model: bad}, {Mode: bad}, {Effort: bad}, {Title: bad}} {
			if _, err := h.Configure(h.session, c); !errors.Is(err, bellcord.ErrRejected) {
				t.Errorf("Configure with %.10q: %v, want ErrRejected", bad, err)
			}
		}
	}
}

func TestStop_LongOrInvalidTexts_AreRejectedOrShortened(t *testing.T) {
	t.Parallel()
	h := open(t, script(streamWords), hub.Options{})
	for _, bad := range []string{longName, "a\x00b", "\xff"} {
		person := bellcord.Cause{Kind: bellcord.CausePerson}
		for _, req := range []bellcord.StopRequest{
			{Turn: bellcord.TurnID(bad), Cause: person},
			{Turn: bellcord.NewTurnID(), Owner: bad, Cause: person},
		} {
			if _, err := h.Stop(req).Wait(t.Context()); !errors.Is(err, bellcord.ErrRejected) {
				t.Errorf("Stop with %.10q: %v, want ErrRejected", bad, err)
			}
		}
		turn := h.prompt("go")
		person.By, person.Source, person.Reason = bad, bad, bad
		if _, err := h.Stop(bellcord.StopTurn(turn.ID, person)).Wait(t.Context()); err != nil {
			t.Errorf("a stop with the texts %.10q: %v", bad, err)
		}
		stop := turn.Receipt().Cause
		if stop == nil {
			t.Fatalf("a stop with the texts %.10q did not stop the turn", bad)
		}
		err := errors.Join(bellcord.CheckName("by", stop.By), bellcord.CheckName("source", stop.Source))
		if err != nil {
			t.Errorf("the receipt has %v", err)
		}
		if len(stop.Reason) > 2000 || !utf8.ValidString(stop.Reason) || strings.Contains(stop.Reason, "\x00") {
			t.Errorf("the receipt has the reason %.10q with %d bytes", stop.Reason, len(stop.Reason))
		}
	}
}

// A model or a hosted agent chooses the names and ids in events.
func TestEmit_LongOrInvalidNames_AreShortenedAndStayTogether(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage("{\"a\":\"\xff\"}")
	stopped := make(chan error, 1)
	agent := script(func(ctx context.Context, w *hub.Work) error {
		one, two := longName+"1", longName+"2"
		err := errors.Join(w.Step(ctx, bellcord.StepStarted{Model: longName}), w.Emit(bellcord.ToolCallRequested{Call: one, Name: longName, Arguments: raw}),
			w.Emit(bellcord.ToolCallRequested{Call: two, Name: "\xff", Arguments: raw}), w.Emit(bellcord.ToolCallStarted{Call: two}), w.Emit(bellcord.ToolCallStarted{Call: one}))
		call, done := w.CallContext(ctx, one)
		defer done()
		_, failed := w.Ask(ctx, bellcord.Question{ID: longName, Call: one, Text: "?", Choices: []bellcord.Choice{{ID: "y"}}})
		<-call.Done()
		stopped <- context.Cause(call)
		return errors.Join(err, failed, w.Emit(bellcord.ToolCallEnded{Call: one, Outcome: bellcord.CallStopped, RawOutput: raw}), w.Emit(bellcord.StepEnded{Finish: "stop", AgentReply: raw}))
	})
	h := open(t, agent, hub.Options{})
	turn := h.send(bellcord.Prompt{Text: "go", Blocks: []bellcord.Block{{Type: "resource", Content: raw}}})
	cursor, err := h.Events(t.Context(), h.session, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close()
	var call string
	for ended := false; !ended; {
		events, err := cursor.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range events {
			data, err := json.Marshal(ev)
			if err != nil || !utf8.Valid(data) || strings.Contains(string(data), longName[:300]) {
				t.Errorf("event %s has a long or invalid name, error %v", ev.Body.Kind(), err)
			}
			switch b := ev.Body.(type) {
			case bellcord.ToolCallRequested:
				if call == "" {
					call = b.Call
				}
			case bellcord.QuestionOpened:
				if err := h.Answer(turn.ID, b.Question.ID, bellcord.Reply{Choice: "y"}, longName); err != nil {
					t.Error(err)
				}
			case bellcord.QuestionAnswered:
				if _, err := h.Stop(bellcord.StopRequest{Turn: turn.ID, Call: call}).Wait(t.Context()); err != nil {
					t.Error(err)
				}
			case bellcord.TurnEnded:
				ended = true
			}
		}
	}
	if err := <-stopped; err == nil {
		t.Error("the call was not stopped by the id in its event")
	}
	<-turn.Settled()
	r := turn.Receipt()
	if r.End != bellcord.EndDone || len(r.UsageByModel) != 1 || len(r.UsageByModel[0].Model) > bellcord.MaxName || len(r.Calls.Unknown)+len(r.Calls.Stopped) != 2 {
		t.Errorf("receipt %+v", r)
	}
}
