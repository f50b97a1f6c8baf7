package hub_test

import (
	"context"
	"slices"
	"strings"
	"testing"

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
