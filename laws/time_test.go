package laws_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/store"
)

// Law 13 is covered by the same table: back-off, approvals and the time to the
// first byte are cut points. A stop that is only in the store takes effect at
// the next poll.
func TestLaw12And13_StopAtAnyCutPoint_TakesNoTime(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		if sc.end == bellcord.EndDone {
			return
		}
		if took := sc.receipt.Times.Settled.Sub(sc.receipt.Times.StopRequested); took < 0 || took > sc.origin.late {
			t.Errorf("from requested to settled: %v", took)
		}
		if sc.origin.late == 0 && sc.waited != 0 {
			t.Errorf("who stopped was told after %v", sc.waited)
		}
	})
}

func TestLaw12_AgentIgnoresCancellation_IsAbandonedAfterGrace(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		turn := s.send("", `[tool deaf {}]`)
		s.await(turn.ID, kind[bellcord.ToolOutputDelta])
		requested := time.Now()
		answers, err := s.Stop(bellcord.StopTurn(turn.ID, by)).Wait(s.t.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		r := answers[0].Receipt
		if took := time.Since(requested); took != 8*time.Second {
			s.t.Errorf("took %v, the grace is 8 s and the bound 10 s", took)
		}
		if r.End != bellcord.EndStopped || !r.AgentAbandoned || len(r.Calls.Unknown) != 1 {
			s.t.Errorf("receipt %+v", r)
		}
		s.done("and the session goes on") // law 36: the abandoned turn is fenced, so the next one may start
	})
}

func TestLaw12_SecondStopWithForce_SkipsGrace(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		turn := s.send("", `[tool deaf {}]`)
		s.await(turn.ID, kind[bellcord.ToolOutputDelta])
		requested := time.Now()
		s.Stop(bellcord.StopTurn(turn.ID, by))
		<-time.After(100 * time.Millisecond)
		s.Stop(bellcord.StopRequest{Turn: turn.ID, Cause: by, Mode: bellcord.StopForce})
		<-turn.Settled()
		if took := time.Since(requested); took != 1100*time.Millisecond {
			s.t.Errorf("took %v", took)
		}
	})
}

func TestLaw12_StopAfterStep_LetsTheStepFinish(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		turn := s.send("", `[slow 5][tool quick {}][then [slow 50]]`)
		s.await(turn.ID, emittedText("word2"))
		s.Stop(bellcord.StopRequest{Turn: turn.ID, Cause: by, Mode: bellcord.StopAfterStep})
		<-turn.Settled()
		r := turn.Receipt()
		if r.End != bellcord.EndStopped || r.Calls.Finished != 1 || len(s.model.Requests()) != 1 {
			s.t.Errorf("receipt %+v after %d requests", r, len(s.model.Requests()))
		}
		last := s.send("", "[slow 5]")
		s.await(last.ID, emittedText("word2"))
		s.Stop(bellcord.StopRequest{Turn: last.ID, Cause: by, Mode: bellcord.StopAfterStep})
		<-last.Settled()
		if r := last.Receipt(); r.End != bellcord.EndDone || r.RaceWinner != bellcord.CompletionWon {
			s.t.Errorf("a last step that finishes is done, not %+v", r)
		}
	})
}

func TestLaw12_LimitReached_StopsTurnWithItsCause(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		prompt bellcord.Prompt
		kind   bellcord.CauseKind
		after  time.Duration
	}{
		{"a deadline", bellcord.Prompt{Text: "[hang]", Deadline: 42 * time.Second}, bellcord.CauseDeadline, 42 * time.Second},
		{"a step limit", bellcord.Prompt{Text: `[tool quick {}][then [tool quick {}][then [tool quick {}]]]`, MaxSteps: 2}, bellcord.CauseStepLimit, 0},
		{"a token budget", bellcord.Prompt{Text: `[usage 90 20][tool works {}]`, MaxTokens: 100}, bellcord.CauseBudget, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onStage(t, func(s *stage) {
				requested := time.Now()
				turn := s.sendPrompt(c.prompt)
				next := s.send("", "behind it")
				<-turn.Settled()
				if r := turn.Receipt(); r.End != bellcord.EndStopped || r.Cause.Kind != c.kind || time.Since(requested) != c.after {
					s.t.Errorf("after %v: %+v", time.Since(requested), r)
				}
				<-next.Settled()
				if next.Receipt().End != bellcord.EndDone {
					s.t.Errorf("a turn's own limit concerns nobody else, but the next ended %s", next.Receipt().End)
				}
			})
		})
	}
}

func TestLaw14_StoreStuck_StopAnswersWithinBound(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		turn := s.send("", "[hang after 2]")
		s.await(turn.ID, emittedText("word2"))
		s.store.shut(func(store.Op) bool { return true })
		requested := time.Now()
		answers, err := s.Stop(bellcord.StopTurn(turn.ID, by)).Wait(s.t.Context())
		if err != nil || answers[0].State != bellcord.StopStateInProgress || !answers[0].Receipt.EndNotDurable {
			s.t.Errorf("answered %+v, %v", answers, err)
		}
		if took := time.Since(requested); took != 10*time.Second {
			s.t.Errorf("took %v", took)
		}
		s.store.open() // when the store is back, the end is written and the session continues
		if r := s.ended(turn.ID); r.End != bellcord.EndStopped {
			s.t.Errorf("on record: %+v", r)
		}
		s.done("and on")
	})
}

// failing is a store with commits that fail until a given time.
type failing struct {
	store.Store
	until time.Time
}

func (f *failing) Commit(ctx context.Context, ops []store.Op) ([]store.Result, error) {
	if time.Now().Before(f.until) {
		return nil, errors.New("disk full")
	}
	return f.Store.Commit(ctx, ops)
}

func TestLaw14_StoreRecovers_NothingIsLost(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		turn := s.send("", "[slow 100]")
		s.await(turn.ID, emittedText("word2"))
		store := s.store.Store
		s.store.mu.Lock()
		s.store.Store = &failing{store, time.Now().Add(30 * time.Second)}
		s.store.mu.Unlock()
		<-turn.Settled()
		if r := turn.Receipt(); r.End != bellcord.EndDone {
			s.t.Errorf("receipt %+v", r)
		}
		s.ended(turn.ID)
		if text := s.textOf(turn.ID); text != s.model.Requests()[0].Sent {
			s.t.Errorf("on record %q\nthe model sent %q", text, s.model.Requests()[0].Sent)
		}
		synctest.Wait()
	})
}

// aborted waits until the model has seen its n-th request aborted.
func (s *stage) aborted(n int) {
	s.t.Helper()
	s.modelHas(func(r []fakemodel.Request) bool { return len(r) >= n && !r[n-1].Aborted.IsZero() })
}
