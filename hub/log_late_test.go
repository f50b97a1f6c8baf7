package hub_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// lateStore blocks commits that end a turn until let is closed.
type lateStore struct {
	store.Store
	let chan struct{}
}

func (s *lateStore) Commit(ctx context.Context, ops []store.Op) ([]store.Result, error) {
	for _, op := range ops {
		if _, ends := op.(store.FinishTurn); ends {
			<-s.let
		}
	}
	return s.Store.Commit(ctx, ops)
}

// The store blocks for longer than the turn waits for its end, and meanwhile
// another process records a stop. The end must still be written, as stopped.
func TestLaw33_StoreBlocksPastSettleTimeout_EndIsStillWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		inner, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		other, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		late := &lateStore{Store: inner, let: make(chan struct{})}
		hub, err := hub.Open(t.Context(), late, silent{}, hub.Options{})
		if err != nil {
			t.Fatal(err)
		}
		session, err := hub.NewSession(t.Context(), bellcord.Session{Dir: "/"})
		if err != nil {
			t.Fatal(err)
		}
		turn, err := hub.Prompt(session.ID, bellcord.Prompt{Text: "say nothing"})
		if err != nil {
			t.Fatal(err)
		}
		<-turn.Settled() // without a durable end, after the time limit
		if !turn.Receipt().EndNotDurable {
			t.Errorf("the receipt is %+v", turn.Receipt())
		}
		ask := store.RecordStop{Turn: turn.ID, Cause: bellcord.Cause{Kind: bellcord.CausePerson, By: "other", At: time.Now()}}
		if _, err := other.Commit(t.Context(), []store.Op{ask}); err != nil {
			t.Fatal(err)
		}
		close(late.let)
		synctest.Wait()
		record, err := other.Turn(t.Context(), turn.ID)
		if err != nil || record.Receipt == nil || record.Receipt.End != bellcord.EndStopped || record.Receipt.Cause.By != "other" {
			t.Errorf("on record: %+v, %v", record, err)
		}
		if err := hub.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := inner.Close(); err != nil {
			t.Error(err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	})
}

// refusingStore rejects every prompt.
type refusingStore struct{ *lateStore }

func (s refusingStore) Commit(ctx context.Context, ops []store.Op) ([]store.Result, error) {
	if _, accepts := ops[0].(store.AcceptTurn); accepts {
		return []store.Result{{Err: store.ErrFenced}}, nil
	}
	return s.lateStore.Commit(ctx, ops)
}

// A stop without waiting reports that no work remains only if the turn's end will
// become durable. The end of a rejected turn never will.
func TestLaw10_StopWithoutWait_ReportsWorkEndedOnlyForAcceptedTurns(t *testing.T) {
	t.Parallel()
	for _, refused := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			inner, err := sqlite.Open(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			late := &lateStore{Store: inner, let: make(chan struct{})}
			store, want := store.Store(late), bellcord.StopStateWorkEnded
			if refused {
				store, want = refusingStore{late}, bellcord.StopStateInProgress
			}
			hub, err := hub.Open(t.Context(), store, silent{}, hub.Options{})
			if err != nil {
				t.Fatal(err)
			}
			session, err := hub.NewSession(t.Context(), bellcord.Session{Dir: "/", Title: "titled"})
			if err != nil {
				t.Fatal(err)
			}
			turn, err := hub.Prompt(session.ID, bellcord.Prompt{Text: "say nothing"})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // no work remains, and the commit of the end blocks
			at, done := context.WithTimeout(t.Context(), 0)
			defer done()
			answers, _ := hub.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{By: "anna"})).Wait(at)
			if len(answers) != 1 || answers[0].State != want {
				t.Errorf("refused %v: the stop is answered %+v", refused, answers)
			}
			close(late.let)
			if err := errors.Join(hub.Close(context.Background()), inner.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// silent is an agent that returns immediately.
type silent struct{}

func (silent) Run(context.Context, *hub.Work) error { return nil }
