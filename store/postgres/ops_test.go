package postgres_test

import (
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

// do commits ops. The commit must succeed, but ops may be rejected.
func do(t testing.TB, s *postgres.Store, ops ...store.Op) []store.Result {
	t.Helper()
	results, err := s.Commit(t.Context(), ops)
	if err != nil {
		t.Errorf("commit: %v", err)
		return make([]store.Result, len(ops))
	}
	return results
}

// ok commits ops, none of which may be rejected.
func ok(t testing.TB, s *postgres.Store, ops ...store.Op) []store.Result {
	t.Helper()
	results := do(t, s, ops...)
	for i, r := range results {
		if r.Err != nil {
			t.Errorf("%T was refused: %v", ops[i], r.Err)
		}
	}
	return results
}

func now() time.Time { return time.Now().UTC().Round(0) }

func session(t testing.TB, s *postgres.Store) bellcord.SessionID {
	t.Helper()
	at := now()
	id := bellcord.NewSessionID()
	ok(t, s, store.PutSession{Session: bellcord.Session{ID: id, Created: at, Updated: at}})
	return id
}

func accept(session bellcord.SessionID) store.AcceptTurn {
	return store.AcceptTurn{Session: session, Turn: bellcord.NewTurnID(), Prompt: bellcord.Prompt{Text: "go"}, At: now()}
}

func claim(a store.AcceptTurn) store.ClaimTurn {
	return store.ClaimTurn{Session: a.Session, Turn: a.Turn, At: now()}
}

func note(session bellcord.SessionID, title string) store.AppendEvents {
	return store.AppendEvents{Session: session, Bodies: []bellcord.Body{bellcord.SessionUpdated{Title: title}}, At: now()}
}

func stopOf(turn bellcord.TurnID) store.RecordStop {
	return store.RecordStop{Turn: turn, Cause: bellcord.Cause{Kind: bellcord.CausePerson, By: "anna", At: now(), Mode: bellcord.StopNow}}
}

func finish(a store.AcceptTurn, fence int64, end bellcord.End) store.FinishTurn {
	r := bellcord.Receipt{Turn: a.Turn, Session: a.Session, End: end}
	return store.FinishTurn{Session: a.Session, Turn: a.Turn, Fence: fence, Receipt: r, At: now()}
}

func kinds(t testing.TB, s *postgres.Store, session bellcord.SessionID) (all []string) {
	t.Helper()
	events, err := s.Events(t.Context(), session, 0, 1000)
	if err != nil {
		t.Error(err)
	}
	for _, ev := range events {
		all = append(all, ev.Body.Kind())
	}
	return all
}

// until polls until the condition holds.
func until(t testing.TB, within time.Duration, what string, come func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !come() {
		if time.Since(began) > within {
			t.Fatalf("not within %v: %s", within, what)
		}
		<-tick.C
	}
	return time.Since(began)
}
