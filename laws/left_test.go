package laws_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/store"
)

func TestLaw16_Stop_ClosesModelConnectionImmediately(t *testing.T) {
	t.Parallel()
	atEveryCutIn(t, formats, func(t *testing.T, sc scene) {
		if !sc.open {
			return
		}
		sc.aborted(sc.requests)
		last := sc.model.Requests()[sc.requests-1]
		late := last.Aborted.Sub(sc.receipt.Times.StopRequested)
		if late < 0 || late > sc.origin.late || !sc.receipt.Times.StreamClosed.Equal(last.Aborted) {
			t.Errorf("stop at %v; the model saw the end at %v, the receipt says %v",
				sc.receipt.Times.StopRequested, last.Aborted, sc.receipt.Times.StreamClosed)
		}
	})
}

// The synctest bubble of each scene fails if a goroutine remains; this test
// also checks that the hub keeps no state of the turn.
func TestLaw18_StoppedTurn_LeavesNoStateInHub(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		synctest.Wait()
		for _, turn := range sc.Unsettled() {
			if turn.ID == sc.id {
				t.Error("the hub still holds it")
			}
		}
	})
}

func TestLaw19_StoppedTurn_DoesNotResume(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		before := len(sc.bodies(sc.id))
		ran := sc.ran.of("quick") + sc.ran.of("works") + sc.ran.of("guarded") + sc.ran.of("safe")
		<-time.After(20 * time.Minute)
		if after := len(sc.bodies(sc.id)); after != before {
			t.Errorf("%d events came later", after-before)
		}
		if again := sc.ran.of("quick") + sc.ran.of("works") + sc.ran.of("guarded") + sc.ran.of("safe"); again != ran {
			t.Error("a tool ran again")
		}
		open := func(r fakemodel.Request) bool { return r.Finished.IsZero() && r.Aborted.IsZero() }
		for _, r := range sc.model.Requests() {
			if open(r) {
				t.Errorf("request %d is still open", r.N)
			}
		}
	})
}

func TestLaw20_AbandonedAgent_CannotWriteIntoTheNextTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wrote := make(chan error, 1)
		s := bareStage(t, agentFunc(func(ctx context.Context, w *hub.Work) error {
			if w.Prompt.Text == "good" {
				<-time.After(time.Minute)
				return w.Emit(bellcord.TextDelta{Text: "good"})
			}
			<-time.After(30 * time.Second) // ignores the cancellation
			wrote <- w.Emit(bellcord.TextDelta{Text: "late"})
			_, err := w.Ask(context.WithoutCancel(ctx), bellcord.Question{Text: "late?"})
			return err
		}), hub.Options{})
		bad := s.send("", "bad")
		synctest.Wait()
		s.Stop(bellcord.StopTurn(bad.ID, by))
		<-bad.Settled()
		good := s.send("", "good")
		if err := <-wrote; !errors.Is(err, bellcord.ErrTurnEnded) {
			t.Errorf("the late write was answered %v", err)
		}
		<-good.Settled()
		if n := count(s.bodies(good.ID), emittedText("late")); n != 0 || good.Receipt().End != bellcord.EndDone {
			t.Errorf("%d late writes; %+v", n, good.Receipt())
		}
	})
}

func TestLaw20_WriteOfSettledTurn_IsRejectedByTheStore(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		before := len(sc.bodies(sc.id))
		for fence := range int64(3) {
			for n := range int64(60) {
				results, err := sc.store.Commit(t.Context(), []store.Op{store.AppendEvents{
					Session: sc.session, Turn: sc.id, Fence: fence, N: n, Bodies: []bellcord.Body{bellcord.TextDelta{Text: "late"}}, At: time.Now(),
				}})
				if err != nil || len(results[0].Events) > 0 {
					t.Fatalf("fence %d, append %d: %v, %v", fence, n, results[0], err)
				}
				if n > 55 && !errors.Is(results[0].Err, store.ErrFenced) { // more appends than the turn made
					t.Fatalf("fence %d, append %d: %v", fence, n, results[0].Err)
				}
			}
		}
		if after := len(sc.bodies(sc.id)); after != before {
			t.Errorf("%d writes got in", after-before)
		}
	})
}
