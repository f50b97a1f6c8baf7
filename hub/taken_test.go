package hub_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
)

// The process that received the stop has taken the turn over and has not written its
// end yet. It has the turn in the store, and not in memory.
func TestLaw32_StopOfScopeAtTheProcessThatTookATurnOver_TurnEndsAsStopped(t *testing.T) {
	t.Parallel()
	for name, scope := range map[string]func(bellcord.SessionID) bellcord.StopRequest{
		"its session": func(s bellcord.SessionID) bellcord.StopRequest { return bellcord.StopRequest{Session: s} },
		"everything":  func(bellcord.SessionID) bellcord.StopRequest { return bellcord.StopRequest{} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				turn := deadTurn(t, dir)
				picky, let := withoutEnds()
				h := openOver(t, dir, &ran{}, hub.Options{}, picky.over)
				before, err := h.Turn(t.Context(), turn)
				if err != nil || before.State == bellcord.StateEnded {
					t.Fatalf("%+v, %v", before, err)
				}
				<-time.After(time.Second)
				req := scope(before.Session)
				req.Everywhere, req.Cause = true, bellcord.Cause{By: "anna"}
				stopping := h.Stop(req)
				if err := stopping.Recorded(t.Context()); err != nil {
					t.Fatal(err)
				}
				let()
				answers, err := stopping.Wait(t.Context())
				if err != nil || len(answers) != 1 || answers[0].Turn != turn || answers[0].Receipt.End != bellcord.EndStopped || answers[0].Receipt.Cause.By != "anna" {
					t.Errorf("answers %+v, error %v", answers, err)
				}
				<-time.After(3 * time.Second)
				if r, err := h.Turn(t.Context(), turn); err != nil || r.Receipt == nil || r.Receipt.End != bellcord.EndStopped {
					t.Errorf("on record: %+v, %v", r.Receipt, err)
				}
			})
		})
	}
}

// slowReads blocks the reads of the events of one session: the first one that is
// read.
type slowReads struct {
	store.Store
	session atomic.Pointer[bellcord.SessionID]
}

func (s *slowReads) Events(ctx context.Context, session bellcord.SessionID, after int64, limit int) ([]bellcord.Event, error) {
	if s.session.CompareAndSwap(nil, &session); *s.session.Load() == session {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.Store.Events(ctx, session, after, limit)
}

func TestLaw33_EventsOfOneDeadTurnAreReadSlowly_OtherTurnsEndMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	turns := []bellcord.TurnID{deadTurn(t, dir), deadTurn(t, dir), deadTurn(t, dir)}
	synctest.Test(t, func(t *testing.T) {
		slow := &slowReads{}
		h := openOver(t, dir, &ran{}, hub.Options{}, func(s store.Store) store.Store { slow.Store = s; return slow })
		ended := 0
		for _, id := range turns {
			r, err := h.Turn(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if r.State == bellcord.StateEnded {
				ended++
			}
		}
		if ended != len(turns)-1 {
			t.Errorf("%d of %d turns have ended", ended, len(turns))
		}
	})
}
