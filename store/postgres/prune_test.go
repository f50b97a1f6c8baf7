package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

func TestPrune_IdleSessions_AreDeleted(t *testing.T) {
	t.Parallel()
	s := openWith(t, place(t), postgres.Options{})
	long := now().Add(-48 * time.Hour)
	old := func() bellcord.SessionID {
		id := bellcord.NewSessionID()
		ok(t, s, store.PutSession{Session: bellcord.Session{ID: id, Created: long, Updated: long}})
		return id
	}
	var idle []bellcord.SessionID
	for range 150 {
		idle = append(idle, old())
	}
	ended, waits, young := accept(idle[0]), accept(old()), session(t, s)
	ended.At, waits.At = long, long
	ok(t, s, ended, waits)
	end := finish(ended, 0, bellcord.EndStopped)
	end.At, end.Receipt.UsageByModel = long, []bellcord.ModelUsage{{Model: "m"}}
	ok(t, s, end)

	if n, err := s.Prune(t.Context(), now().Add(-24*time.Hour)); err != nil || n != len(idle) {
		t.Errorf("%d of %d were pruned, %v", n, len(idle), err)
	}
	for _, id := range idle {
		if _, err := s.Session(t.Context(), id); !errors.Is(err, bellcord.ErrNoSession) {
			t.Fatalf("an idle one: %v", err)
		}
	}
	if got := kinds(t, s, ended.Session); len(got) > 0 {
		t.Errorf("events remain: %v", got)
	}
	if _, err := s.Turn(t.Context(), ended.Turn); !errors.Is(err, bellcord.ErrNoTurn) {
		t.Errorf("its turn: %v", err)
	}
	for _, id := range []bellcord.SessionID{waits.Session, young} {
		if _, err := s.Session(t.Context(), id); err != nil {
			t.Errorf("one that is in use: %v", err)
		}
	}
	if spent, err := s.Spending(t.Context(), store.SpendingQuery{}); err != nil || len(spent) != 1 {
		t.Errorf("spent %v, %v", spent, err)
	}
}
