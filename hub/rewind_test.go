package hub_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// recall is an agent that answers with its prompt, and then sends the prompts of the conversation
// to seen. With the prompt "wait" it waits for a stop.
func recall(seen chan<- []string) func(context.Context, *hub.Work) error {
	return func(ctx context.Context, w *hub.Work) error {
		if w.Prompt.Text == "wait" {
			<-ctx.Done()
			return context.Cause(ctx)
		}
		messages, err := w.History(ctx)
		var prompts []string
		for _, m := range messages {
			if m.Role == bellcord.RoleUser {
				prompts = append(prompts, m.Text)
			}
		}
		seen <- prompts
		return err
	}
}

func TestRewind_IdleSession_NextPromptContinuesBeforeTheTurn(t *testing.T) {
	t.Parallel()
	seen := make(chan []string, 1)
	h := openAt(t, t.TempDir(), script(recall(seen)), hub.Options{})
	say := func(text string, want ...string) bellcord.TurnID {
		t.Helper()
		turn := h.prompt(text)
		if got := <-seen; !slices.Equal(got, want) {
			t.Errorf("%s: the model gets %q, want %q", text, got, want)
		}
		<-turn.Settled()
		return turn.ID
	}
	say("a", "a")
	b := say("b", "a", "b")
	say("c", "a", "b", "c")
	if r, err := h.Rewind(t.Context(), h.session, b); err != nil || r.FromSeq == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	say("d", "a", "d")
	if _, err := h.Rewind(t.Context(), h.session, b); !errors.Is(err, bellcord.ErrNotInConversation) {
		t.Errorf("a second rewind to the same turn: %v", err)
	}
	if _, err := h.Rewind(t.Context(), h.session, ""); err != nil {
		t.Fatal(err)
	}
	say("e", "a", "b", "c", "d", "e")
	if _, err := h.Rewind(t.Context(), h.session, ""); !errors.Is(err, bellcord.ErrNoRewind) {
		t.Errorf("nothing to take back: %v", err)
	}
}

func TestRewind_TurnRuns_IsRefused(t *testing.T) {
	t.Parallel()
	seen := make(chan []string, 1)
	h := openAt(t, t.TempDir(), script(recall(seen)), hub.Options{})
	first := h.prompt("a")
	<-seen
	<-first.Settled()
	running := h.prompt("wait")
	if _, err := h.Rewind(t.Context(), h.session, first.ID); !errors.Is(err, bellcord.ErrTurnRunning) {
		t.Errorf("error: %v", err)
	}
	if _, err := h.Stop(bellcord.StopTurn(running.ID, bellcord.Cause{Kind: bellcord.CausePerson})).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Rewind(t.Context(), h.session, first.ID); err != nil {
		t.Error(err)
	}
}
