package undo_test

import (
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
)

// A turn without a call that ends before the first scan opens nothing, and a turn
// that takes longer starts the scan.
func TestWarm_AfterATime_StartsTheScanUnlessTheTurnHasEnded(t *testing.T) {
	t.Parallel()
	const delay = 150 * time.Millisecond
	for name, test := range map[string]struct {
		lasts  time.Duration
		opened bool
	}{
		"shorter": {delay - time.Nanosecond, false},
		"longer":  {delay + time.Nanosecond, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, map[string]string{"a.txt": "a"})
				place := t.TempDir()
				s.open(place)
				turn := s.recorder.Turn(s.session, bellcord.NewTurnID(), &receipt{})
				turn.Warm(delay)
				ctx, done := context.WithTimeout(t.Context(), test.lasts)
				defer done()
				<-ctx.Done()
				turn.Close()
				later, done := context.WithTimeout(t.Context(), time.Minute)
				defer done()
				<-later.Done()
				synctest.Wait()
				entries, err := os.ReadDir(place)
				if err != nil || (len(entries) > 0) != test.opened {
					t.Errorf("%d workspaces were opened, %v", len(entries), err)
				}
			})
		})
	}
}

// A call before the scan does not wait for the delay.
func TestWarm_CallBeforeTheTime_StartsAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a.txt": "a"})
	r := &receipt{}
	turn := s.recorder.Turn(s.session, bellcord.NewTurnID(), r)
	turn.Warm(time.Hour)
	if err := turn.Before(t.Context(), "call", false); err != nil {
		t.Fatal(err)
	}
	s.write("a.txt", "b")
	turn.After("call")
	turn.Close()
	if got := r.last(t); got.Changed != 1 {
		t.Errorf("%+v", got)
	}
}
