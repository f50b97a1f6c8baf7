package postgres_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

func TestCommit_TwoNodesInOppositeOrder_DoNotDeadlock(t *testing.T) {
	t.Parallel()
	const rounds, sessions = 1000, 4
	home := place(t)
	var logged bytes.Buffer // contains a warning if a deadlock was retried
	logger := slog.New(slog.NewTextHandler(&logged, nil))
	nodes := []*postgres.Store{openWith(t, home, postgres.Options{Logger: logger}), openWith(t, home, postgres.Options{Logger: logger})}
	var ids []bellcord.SessionID
	var runs []store.AcceptTurn
	for i := range sessions {
		ids = append(ids, session(t, nodes[0]))
		runs = append(runs, accept(ids[i]))
		ok(t, nodes[0], runs[i], claim(runs[i]))
	}
	var all sync.WaitGroup
	for n, s := range nodes {
		all.Go(func() {
			for round := range rounds {
				batch := mixed(n, round, ids, runs)
				if n == 1 {
					slices.Reverse(batch)
				}
				ok(t, s, batch...)
			}
		})
	}
	all.Wait()
	if logged.Len() > 0 {
		t.Error(logged.String())
	}
	for _, id := range ids {
		events, err := nodes[0].Events(t.Context(), id, 0, 3*rounds)
		if want := 2 + 2*rounds + 1; err != nil || len(events) != want || events[want-1].Seq != int64(want) {
			t.Errorf("%d events of %d, error %v", len(events), want, err)
		}
	}
}

// mixed returns a batch that touches all sessions: for the first node with events
// of its turns and notes, for the second with notes and stops.
func mixed(n, round int, ids []bellcord.SessionID, runs []store.AcceptTurn) (ops []store.Op) {
	for i, id := range ids {
		if n == 0 {
			ops = append(ops, store.AppendEvents{
				Session: id, Turn: runs[i].Turn, Fence: 1, N: int64(round + 1), At: now(),
				Bodies: []bellcord.Body{bellcord.TextDelta{Text: fmt.Sprint(round)}},
			})
			continue
		}
		ops = append(ops, note(id, fmt.Sprint(round)), stopOf(runs[i].Turn))
	}
	return ops
}

// A stop and its turn that arrive at the same moment through different nodes do
// not miss each other (law 2).
func TestLaw02_StopAndTurnArriveTogetherOnTwoNodes_TurnIsStopped(t *testing.T) {
	t.Parallel()
	home := place(t)
	one, other := openWith(t, home, postgres.Options{}), openWith(t, home, postgres.Options{})
	id := session(t, one)
	early := 0
	for range 200 {
		a := accept(id)
		var all sync.WaitGroup
		var accepted, stopped store.Result
		all.Go(func() { accepted = ok(t, one, a)[0] })
		all.Go(func() { stopped = ok(t, other, stopOf(a.Turn))[0] })
		all.Wait()
		if (accepted.Stop != nil) == (stopped.Record != nil) {
			t.Errorf("the turn found %v, the stop found %v", accepted.Stop, stopped.Record)
		}
		if r, err := one.Turn(t.Context(), a.Turn); err != nil || r.Stop == nil {
			t.Fatalf("the turn goes on: %+v, %v", r, err)
		}
		if accepted.Stop != nil {
			early++
		}
	}
	t.Logf("%d of 200 stops were early", early)
}

// Two nodes create the same sessions at the same time in opposite order.
func TestPutSession_TwoNodesAtOnce_CreateOneSession(t *testing.T) {
	t.Parallel()
	home := place(t)
	nodes := []*postgres.Store{openWith(t, home, postgres.Options{}), openWith(t, home, postgres.Options{})}
	for range 100 {
		var ids []bellcord.SessionID
		for range 3 {
			ids = append(ids, bellcord.NewSessionID())
		}
		var all sync.WaitGroup
		for _, s := range nodes {
			var batch []store.Op
			for _, id := range ids {
				batch = append(batch, store.PutSession{Session: bellcord.Session{ID: id, Created: now(), Updated: now()}}, note(id, "made"))
			}
			slices.Reverse(ids)
			all.Go(func() { ok(t, s, batch...) })
		}
		all.Wait()
		for _, id := range ids {
			if tail, err := nodes[0].Tail(t.Context(), id); err != nil || tail != 2 {
				t.Fatalf("tail %d, %v", tail, err)
			}
		}
	}
}
