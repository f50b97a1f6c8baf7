package hub_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// between is a store that calls then after a commit, before its events are
// delivered.
type between struct {
	store.Store
	then func()
}

func (b *between) Commit(ctx context.Context, ops []store.Op) ([]store.Result, error) {
	results, err := b.Store.Commit(ctx, ops)
	if then := b.then; then != nil && len(results[len(results)-1].Events) > 0 {
		b.then = nil
		then()
	}
	return results, err
}

func TestCursor_OtherProcessWritesBetweenCommitAndDelivery_MissesNoEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		var stores [2]*sqlite.Store
		for i := range stores {
			var err error
			if stores[i], err = sqlite.Open(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
		}
		b := &between{Store: stores[0]}
		h, err := hub.Open(t.Context(), b, script(streamWords), hub.Options{Sweep: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		s, err := h.NewSession(t.Context(), bellcord.Session{Dir: "/"})
		if err != nil {
			t.Fatal(err)
		}
		cursors := make(chan *hub.Cursor, 2)
		b.then = func() {
			other := store.AppendEvents{Session: s.ID, Bodies: []bellcord.Body{bellcord.SessionUpdated{Title: "2"}}, At: time.Now()}
			if _, err := stores[1].Commit(context.Background(), []store.Op{other}); err != nil {
				t.Error(err)
			}
			for after := range int64(2) {
				c, err := h.Events(context.Background(), s.ID, after)
				if err != nil {
					t.Error(err)
				}
				cursors <- c
			}
		}
		for _, title := range []string{"1", "3"} {
			if _, err := h.Configure(s.ID, bellcord.SessionUpdated{Title: title}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		for after := range int64(2) {
			c := <-cursors
			for want := after + 1; want <= 3; {
				events, err := c.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, ev := range events {
					if ev.Seq != want {
						t.Fatalf("behind %d: got %d, want %d", after, ev.Seq, want)
					}
					want++
				}
			}
			c.Close()
		}
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
		for _, s := range stores {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestLaw29_StopAfterStep_PollingKeepsQueueAction(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		h := open(t, script(func(ctx context.Context, w *hub.Work) error {
			if w.Prompt.Text != "first" {
				return nil
			}
			if err := w.Step(ctx, bellcord.StepStarted{}); err != nil {
				return err
			}
			<-goOn
			return w.Step(ctx, bellcord.StepStarted{})
		}), hub.Options{})
		first, second := h.prompt("first"), h.prompt("second")
		synctest.Wait()
		h.Stop(bellcord.StopRequest{Turn: first.ID, Mode: bellcord.StopAfterStep, Queue: bellcord.QueueNext})
		<-time.After(2 * time.Second) // several polls
		close(goOn)
		<-first.Settled()
		<-second.Settled()
		if r := first.Receipt(); r.End != bellcord.EndStopped || r.Queue != bellcord.QueueNext || len(r.HeldTurns) != 0 || second.Receipt().End != bellcord.EndDone {
			t.Errorf("%+v; the next ended %s", r, second.Receipt().End)
		}
	})
}
