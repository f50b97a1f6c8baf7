package hub_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// script adapts a function to the Agent interface.
type script func(ctx context.Context, w *hub.Work) error

func (s script) Run(ctx context.Context, w *hub.Work) error { return s(ctx, w) }

// streamWords streams a word every 10 ms until its context ends.
func streamWords(ctx context.Context, w *hub.Work) error {
	if err := w.Step(ctx, bellcord.StepStarted{}); err != nil {
		return err
	}
	for {
		if err := w.Emit(bellcord.TextDelta{Text: "word "}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// fixture is a hub with a SQLite store and one open session.
type fixture struct {
	*hub.Hub
	t       *testing.T
	session bellcord.SessionID
}

func open(t *testing.T, agent hub.Agent, opts hub.Options) fixture {
	t.Helper()
	return openAt(t, t.TempDir(), agent, opts)
}

func openAt(t *testing.T, dir string, agent hub.Agent, opts hub.Options) fixture {
	t.Helper()
	return openOver(t, dir, agent, opts, func(s store.Store) store.Store { return s })
}

// openOver is openAt with a store between the hub and SQLite.
func openOver(t *testing.T, dir string, agent hub.Agent, opts hub.Options, over func(store.Store) store.Store) fixture {
	t.Helper()
	store, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	hub, err := hub.Open(t.Context(), over(store), agent, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(hub.Close(context.Background()), store.Close()); err != nil {
			t.Error(err)
		}
	})
	s, err := hub.NewSession(t.Context(), bellcord.Session{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return fixture{hub, t, s.ID}
}

func (h fixture) prompt(text string) *hub.Turn {
	h.t.Helper()
	return h.send(bellcord.Prompt{Text: text})
}

func (h fixture) send(p bellcord.Prompt) *hub.Turn {
	h.t.Helper()
	turn, err := h.Prompt(h.session, p)
	if err != nil {
		h.t.Fatal(err)
	}
	return turn
}

// stop sends a stop and returns its only answer.
func (h fixture) stop(req bellcord.StopRequest) bellcord.StopAnswer {
	h.t.Helper()
	answers, err := h.Stop(req).Wait(h.t.Context())
	if err != nil || len(answers) != 1 {
		h.t.Fatalf("stop answered %v, %v", answers, err)
	}
	return answers[0]
}

func TestStop_StreamingTurn_EndsImmediatelyAndKeepsText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := open(t, script(streamWords), hub.Options{})
		turn := h.prompt("talk")
		<-time.After(95 * time.Millisecond)
		requested := time.Now()
		a := h.stop(bellcord.StopTurn(turn.ID, bellcord.Cause{By: "anna", Source: "test"}))
		if a.Receipt.End != bellcord.EndStopped || a.Receipt.RaceWinner != bellcord.StopWon || a.Receipt.Cause.By != "anna" {
			t.Fatalf("receipt %+v", a.Receipt)
		}
		if took := time.Since(requested); took != 0 {
			t.Errorf("took %v", took)
		}
		if want := int64(len("word ") * 10); a.Receipt.Kept.TextBytes != want {
			t.Errorf("kept %d bytes, want %d", a.Receipt.Kept.TextBytes, want)
		}
	})
}

func TestStop_DefaultModeAndQueue_AreOmittedFromCause(t *testing.T) {
	t.Parallel()
	h := open(t, script(streamWords), hub.Options{})
	for _, req := range []bellcord.StopRequest{{}, {Mode: bellcord.StopNow}, {Queue: bellcord.QueueHold}, {Mode: bellcord.StopNow, Queue: bellcord.QueueHold}} {
		req.Turn = h.prompt("go").ID
		if c := h.stop(req).Receipt.Cause; c.Mode != "" || c.Queue != "" {
			t.Errorf("%+v left the cause %+v", req, c)
		}
	}
	forced := h.stop(bellcord.StopRequest{Turn: h.prompt("go").ID, Mode: bellcord.StopForce})
	if forced.Receipt.Cause.Mode != bellcord.StopForce {
		t.Errorf("%+v", forced.Receipt.Cause)
	}
}
