package hub_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store/sqlite"
)

// hanging is an agent that works until it is stopped.
type hanging struct{}

func (hanging) Run(ctx context.Context, _ *hub.Work) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestAdmission_AtLimit_RejectsPromptsUntilATurnEnds(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	h, err := hub.Open(t.Context(), store, hanging{}, hub.Options{Admission: &hub.Admission{Turns: 3, TurnsPerOwner: 2}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	session := func(owner string) bellcord.SessionID {
		made, err := h.NewSession(t.Context(), bellcord.Session{ID: bellcord.NewSessionID(), Dir: t.TempDir(), Owner: owner})
		if err != nil {
			t.Fatal(err)
		}
		return made.ID
	}
	prompt := func(in bellcord.SessionID, id bellcord.TurnID, want error) *hub.Turn {
		t.Helper()
		turn, err := h.Prompt(in, bellcord.Prompt{Turn: id, Text: "work"})
		if !errors.Is(err, want) || want == nil && err != nil {
			t.Fatalf("%v, want %v", err, want)
		}
		return turn
	}
	anna, annas, ben := session("anna"), session("anna"), session("ben")
	first := prompt(anna, "", nil)
	prompt(anna, "", nil)
	prompt(annas, "", bellcord.ErrTooManyOfOwner)
	prompt(anna, first.ID, bellcord.ErrTurnExists) // a repeated prompt is not counted
	prompt(ben, "", nil)
	prompt(ben, "", bellcord.ErrTooManyTurns)
	if _, err := h.Stop(bellcord.StopRequest{Turn: first.ID, Queue: bellcord.QueueNext}).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); time.Since(began) < 20*time.Second; { // the receipt is available slightly before the turn leaves the queue
		if _, err = h.Prompt(annas, bellcord.Prompt{Text: "work"}); err == nil {
			break
		}
	}
	if err != nil {
		t.Errorf("after the stop: %v", err)
	}
}
