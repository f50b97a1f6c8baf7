package hub_test

import (
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

func TestLog_BatchIsCommittedInParts_HeadsAreReadOnce(t *testing.T) {
	t.Parallel()
	isBadTitle := func(op store.Op) bool {
		put, is := op.(store.PutSession)
		return is && put.Session.Title == "bad"
	}
	onPickyStore(t, isBadTitle, &ran{}, func(t *testing.T, h fixture, store *pickyStore) {
		var sessions []bellcord.SessionID
		for range 20 {
			s, err := h.NewSession(t.Context(), bellcord.Session{})
			if err != nil {
				t.Fatal(err)
			}
			sessions = append(sessions, s.ID)
		}
		store.tails.Store(0)
		for i, id := range sessions {
			title := "good"
			if i == 7 {
				title = "bad"
			}
			if _, err := h.Configure(id, bellcord.SessionUpdated{Title: title}); err != nil {
				t.Fatal(err)
			}
		}
		<-time.After(time.Second)
		if got := store.failures.Load(); got < 2*3 {
			t.Fatalf("%d commits failed: the batch was not committed in parts", got)
		}
		if got := store.tails.Load(); got == 0 || got > 2 {
			t.Errorf("the ends of the logs were read %d times, want once or twice", got)
		}
	})
}
