package hub_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// The memory of conversations is a cache: releasing it changes no answer.
func TestForgetIdle_IdleSessions_ReleasesTheLongestUnusedFirst(t *testing.T) {
	t.Parallel()
	read := map[bellcord.SessionID][]string{} // the texts that the last turn of a session saw
	h := open(t, script(func(ctx context.Context, w *hub.Work) error {
		messages, err := w.History(ctx)
		var texts []string
		for _, m := range messages {
			texts = append(texts, m.Text)
		}
		read[w.Session.ID] = texts
		return err
	}), hub.Options{})
	long := strings.Repeat("x", 100_000)
	sessions := []bellcord.SessionID{h.session}
	for range 3 {
		s, err := h.NewSession(t.Context(), bellcord.Session{})
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, s.ID)
	}
	for _, h.session = range sessions {
		if err := h.Await(t.Context(), h.prompt(long).ID); err != nil {
			t.Fatal(err)
		}
	}
	if freed := h.ForgetIdle(); freed < 200_000 || freed > 210_000 { // half of it
		t.Errorf("freed %d bytes", freed)
	}
	if freed := h.ForgetIdle(); freed < 100_000 || freed > 110_000 { // half of the rest
		t.Errorf("freed %d bytes more", freed)
	}
	for _, h.session = range sessions {
		if err := h.Await(t.Context(), h.prompt("again").ID); err != nil {
			t.Fatal(err)
		}
		if got := read[h.session]; !slices.Equal(got, []string{long, "again"}) {
			t.Errorf("after that, a turn sees %d messages", len(got))
		}
	}
}

func TestForgetIdle_RunningTurn_KeepsItsConversation(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	h := open(t, script(func(ctx context.Context, w *hub.Work) error {
		_, err := w.History(ctx)
		close(begun)
		<-ctx.Done()
		return err
	}), hub.Options{})
	turn := h.prompt(strings.Repeat("x", 100_000))
	<-begun
	if freed := h.ForgetIdle(); freed != 0 {
		t.Errorf("freed %d bytes", freed)
	}
	h.stop(bellcord.StopTurn(turn.ID, bellcord.Cause{}))
}

// An embedder that never calls CloseIdle must not keep every session in memory.
func TestOptionsIdle_SessionWithoutTurns_IsClosedAndAcceptOpensIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := open(t, script(func(ctx context.Context, _ *hub.Work) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}), hub.Options{Idle: 5 * time.Second})
		busy, err := h.NewSession(t.Context(), bellcord.Session{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Prompt(busy.ID, bellcord.Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		<-time.After(4 * time.Second)
		if stats := h.Stats(); stats.Sessions != 2 {
			t.Errorf("%d sessions are open before the time", stats.Sessions)
		}
		<-time.After(3 * time.Second)
		if stats := h.Stats(); stats.Sessions != 1 {
			t.Errorf("%d sessions are open, want the one with a turn", stats.Sessions)
		}
		if _, err := h.Prompt(h.session, bellcord.Prompt{Text: "go"}); !errors.Is(err, bellcord.ErrNotOpen) {
			t.Errorf("a prompt in a closed session: %v", err)
		}
		if _, err := h.Accept(t.Context(), h.session, bellcord.Prompt{Text: "go"}); err != nil {
			t.Errorf("an accept in a closed session: %v", err)
		}
		if _, err := h.Stop(bellcord.StopRequest{}).Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
