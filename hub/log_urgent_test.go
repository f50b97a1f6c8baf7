package hub_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
)

func TestStop_HundredsOfStreamingSessions_IsCommittedFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const others = 700
		speak := make(chan struct{})
		h, ledger := onLedger(t, script(func(ctx context.Context, w *hub.Work) error {
			<-speak
			for ctx.Err() == nil {
				if err := w.Emit(bellcord.TextDelta{Text: "word "}); err != nil {
					return err
				}
				<-ctx.Done()
			}
			return context.Cause(ctx)
		}))
		for range others {
			s, err := h.NewSession(t.Context(), bellcord.Session{Dir: "/", Title: "set"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.Prompt(s.ID, bellcord.Prompt{Text: "go"}); err != nil {
				t.Fatal(err)
			}
		}
		turn, err := h.Prompt(h.session, bellcord.Prompt{Text: "go"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		open := ledger.close()
		close(speak) // hundreds of journals have events, and the first commit is blocked
		synctest.Wait()
		h.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{By: "anna"}))
		synctest.Wait()
		before := ledger.count()
		open()
		<-turn.Settled()
		ledger.mu.Lock()
		after := slices.Clone(ledger.commits[before:])
		ledger.mu.Unlock()
		at := slices.IndexFunc(after, func(ops []store.Op) bool {
			return slices.ContainsFunc(ops, func(op store.Op) bool {
				finish, is := op.(store.FinishTurn)
				return is && finish.Turn == turn.ID
			})
		})
		if at < 0 || at > 1 {
			t.Errorf("its end came with commit %d behind the one that was held back", at+1)
		}
		for _, ops := range after {
			if len(ops) > 300 {
				t.Errorf("a commit of %d ops", len(ops))
			}
		}
	})
}
