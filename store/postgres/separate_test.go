package postgres_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

// A commit has ten seconds. With four round trips for each op, it failed again and
// again on a database that answers after ten milliseconds.
func TestCommit_OneOfManyOpsIsRejected_NeedsFewRoundTrips(t *testing.T) {
	t.Parallel()
	const ops, mostTrips = 256, 150
	url, proxy := through(t, place(t))
	s, err := postgres.Open(t.Context(), url, postgres.Options{Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for name, bad := range map[string][]int{
		"first": {0}, "middle": {100}, "last": {ops - 1}, "two": {7, 200}, "long key": {7},
	} {
		notes, batch := session(t, s), make([]store.Op, 0, ops)
		for range ops {
			batch = append(batch, note(notes, "a title"))
		}
		for _, place := range bad {
			batch[place] = unstorable(t, s)
			if name == "long key" {
				long := bellcord.Session{ID: bellcord.SessionID(noise()), Created: now(), Updated: now()}
				batch[place] = store.PutSession{Session: long}
			}
		}
		before := proxy.counted()
		results := do(t, s, batch...)
		trips := proxy.counted() - before
		t.Logf("%s: %d round trips", name, trips)
		if trips > mostTrips {
			t.Errorf("%s: %d round trips, want at most %d", name, trips, mostTrips)
		}
		last := int64(0)
		for i, r := range results {
			_, isNote := batch[i].(store.AppendEvents)
			switch {
			case !isNote && !errors.Is(r.Err, bellcord.ErrRejected):
				t.Errorf("%s: op %d: %v, want ErrRejected", name, i, r.Err)
			case isNote && (r.Err != nil || len(r.Events) != 1 || r.Events[0].Seq != last+1):
				t.Fatalf("%s: op %d: %+v after event %d", name, i, r, last)
			case isNote:
				last++
			}
		}
		if got := len(kinds(t, s, notes)); got != ops-len(bad) {
			t.Errorf("%s: %d notes are in the log, want %d", name, got, ops-len(bad))
		}
	}
}

func noise() string {
	var b strings.Builder
	for b.Len() < 10_000 {
		b.WriteString(rand.Text())
	}
	return b.String()
}

// unstorable returns the end of a running turn with a name that no index holds.
func unstorable(t *testing.T, s *postgres.Store) store.Op {
	t.Helper()
	a := accept(session(t, s))
	ok(t, s, a)
	claimed := ok(t, s, claim(a))
	end := finish(a, claimed[0].Fence, bellcord.EndDone)
	end.Receipt.UsageByModel = []bellcord.ModelUsage{{Model: noise()}}
	return end
}
