package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

func TestHome_SeveralNodes_IsLiveNodeOfNewestTurn(t *testing.T) {
	t.Parallel()
	home := place(t)
	a := openWith(t, home, postgres.Options{Lease: time.Hour})
	b := openWith(t, home, postgres.Options{Lease: time.Hour})
	id := session(t, a)
	isHome := func(want string, when string) {
		t.Helper()
		for _, asks := range []*postgres.Store{a, b} {
			if got, err := asks.Home(t.Context(), id); err != nil || got != want {
				t.Errorf("%s: at home with %q, %v, want %q", when, got, err, want)
			}
		}
	}
	isHome("", "before the first turn")
	first := accept(id)
	ok(t, a, first, claim(first))
	isHome(a.NodeID(), "with a turn that runs")
	ok(t, a, finish(first, 1, bellcord.EndDone))
	isHome(a.NodeID(), "with one that has ended")
	second := accept(id)
	second.At = first.At.Add(time.Second)
	ok(t, b, second)
	isHome(b.NodeID(), "with a newer one of another node")
	if err := b.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	isHome("", "while that node takes leave")
	at(t, home, func(db *pgx.Conn) {
		mustExec(t, db, `UPDATE nodes SET draining = false, lease_until = 1 WHERE id = $1`, b.NodeID())
	})
	isHome("", "when it is not heard any more")
}

func TestNodes_TwoNodes_AreListedWithLeasesAndTurns(t *testing.T) {
	t.Parallel()
	home := place(t)
	a := openWith(t, home, postgres.Options{Lease: time.Hour, Name: "a", Version: "1"})
	b := openWith(t, home, postgres.Options{Lease: time.Minute, Name: "zero\x00byte", Version: "2"})
	id := session(t, a)
	runs, waits, more := accept(id), accept(id), accept(id)
	ok(t, b, runs, claim(runs), waits, more)
	if err := b.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	nodes, err := a.Nodes(t.Context())
	if err != nil || len(nodes) != 2 {
		t.Fatalf("%+v, %v", nodes, err)
	}
	one, other := nodes[0], nodes[1]
	if one.ID != a.NodeID() || one.Name != "a" || one.Version != "1" || one.Draining || one.Running != 0 || one.Left < 59*time.Minute || one.Left > time.Hour {
		t.Errorf("%+v", one)
	}
	if other.ID != b.NodeID() || other.Name != "zero\x00byte" || !other.Draining || other.Running != 1 || other.Queued != 2 || other.Left > time.Minute {
		t.Errorf("%+v", other)
	}
	if one.LeaseAge < 0 || one.LeaseAge > time.Minute || time.Since(one.Started) > time.Minute {
		t.Errorf("heard %v ago, started %v", one.LeaseAge, one.Started)
	}
}

func TestLaw20_ChangedAfterTakeover_ReturnsErrFenced(t *testing.T) {
	t.Parallel()
	home := place(t)
	s := openWith(t, home, postgres.Options{Lease: time.Hour, Logger: quiet})
	if _, err := s.Changed(t.Context()); err != nil {
		t.Fatal(err)
	}
	at(t, home, func(db *pgx.Conn) { mustExec(t, db, `DELETE FROM nodes WHERE id = $1`, s.NodeID()) })
	if _, err := s.Changed(t.Context()); !errors.Is(err, store.ErrFenced) {
		t.Errorf("the news are %v", err)
	}
}
