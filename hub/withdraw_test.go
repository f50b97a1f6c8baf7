package hub_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// fullDisk is a store that fails every commit while full is set.
type fullDisk struct {
	store.Store
	full    atomic.Bool
	unknown bool   // whether a failed commit was applied cannot be determined
	dir     string // of the store
}

var errNoSpace = errors.New("no space left on device")

func (d *fullDisk) Commit(ctx context.Context, ops []store.Op) ([]store.Result, error) {
	switch {
	case d.full.Load() && d.unknown:
		return nil, errNoSpace
	case d.full.Load():
		return nil, store.NotCommitted(errNoSpace)
	}
	return d.Store.Commit(ctx, ops)
}

// ran is an agent that counts its turns.
type ran struct{ turns atomic.Int32 }

func (r *ran) Run(context.Context, *hub.Work) error {
	r.turns.Add(1)
	return nil
}

func onFullDisk(t *testing.T, unknown bool, do func(t *testing.T, hub *hub.Hub, disk *fullDisk, agent *ran, session bellcord.SessionID)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		disk, agent := &fullDisk{Store: store, unknown: unknown, dir: dir}, &ran{}
		hub, err := hub.Open(t.Context(), disk, agent, hub.Options{})
		if err != nil {
			t.Fatal(err)
		}
		session, err := hub.NewSession(t.Context(), bellcord.Session{})
		if err != nil {
			t.Fatal(err)
		}
		disk.full.Store(true)
		do(t, hub, disk, agent, session.ID)
		disk.full.Store(false)
		if err := errors.Join(hub.Close(context.Background()), store.Close()); err != nil {
			t.Error(err)
		}
	})
}

// recovers frees the disk and waits until the hub accepts prompts again.
func recovers(t *testing.T, hub *hub.Hub, disk *fullDisk) {
	t.Helper()
	disk.full.Store(false)
	for began := time.Now(); hub.Health() != nil; {
		if time.Since(began) > 5*time.Second {
			t.Fatalf("still failing: %v", hub.Health())
		}
		<-time.After(10 * time.Millisecond)
	}
}

func TestAccept_StoreFails_ReturnsWithinASecondAndNeverRuns(t *testing.T) {
	t.Parallel()
	onFullDisk(t, false, func(t *testing.T, hub *hub.Hub, disk *fullDisk, agent *ran, session bellcord.SessionID) {
		id, began := bellcord.NewTurnID(), time.Now()
		_, err := hub.Accept(t.Context(), session, bellcord.Prompt{Turn: id, Text: "hello"})
		if took := time.Since(began); !errors.Is(err, bellcord.ErrStoreDown) || took > 1100*time.Millisecond {
			t.Errorf("answered after %v with %v", took, err)
		}
		for _, try := range []func() error{
			func() error { _, err := hub.Accept(t.Context(), session, bellcord.Prompt{Text: "again"}); return err },
			func() error { _, err := hub.NewSession(t.Context(), bellcord.Session{}); return err },
			func() error { _, err := hub.Prompt(session, bellcord.Prompt{Text: "again"}); return err },
		} {
			if began := time.Now(); !errors.Is(try(), bellcord.ErrStoreDown) || time.Since(began) > 0 {
				t.Errorf("a failing store is not answered at once with %v", bellcord.ErrStoreDown)
			}
		}
		recovers(t, hub, disk)
		if _, err := hub.Turn(t.Context(), id); !errors.Is(err, bellcord.ErrNoTurn) {
			t.Errorf("the refused turn: %v", err)
		}
		if s, err := hub.Session(t.Context(), session); err != nil || s.Title != "" {
			t.Errorf("the session has the title %q of a refused prompt, error %v", s.Title, err)
		}
		if _, err := hub.Accept(t.Context(), session, bellcord.Prompt{Turn: id, Text: "hello"}); err != nil {
			t.Errorf("the same prompt, sent again: %v", err)
		}
		synctest.Wait()
		if n := agent.turns.Load(); n != 1 {
			t.Errorf("%d turns ran", n)
		}
	})
}

func TestAccept_ContextEndsBeforeCommit_NeverRuns(t *testing.T) {
	t.Parallel()
	onFullDisk(t, false, func(t *testing.T, hub *hub.Hub, disk *fullDisk, agent *ran, session bellcord.SessionID) {
		leaving, done := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer done()
		id := bellcord.NewTurnID()
		if _, err := hub.Accept(leaving, session, bellcord.Prompt{Turn: id, Text: "hello"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("answered with %v", err)
		}
		disk.full.Store(false)
		if _, err := hub.Accept(t.Context(), session, bellcord.Prompt{Text: "another"}); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if _, err := hub.Turn(t.Context(), id); !errors.Is(err, bellcord.ErrNoTurn) || agent.turns.Load() != 1 {
			t.Errorf("%d turns ran, the one of the caller that left: %v", agent.turns.Load(), err)
		}
	})
}

func TestAccept_FirstCallerWithdraws_SecondWithSameIDIsAccepted(t *testing.T) {
	t.Parallel()
	onFullDisk(t, false, func(t *testing.T, hub *hub.Hub, disk *fullDisk, agent *ran, session bellcord.SessionID) {
		leaving, done := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer done()
		p := bellcord.Prompt{Turn: bellcord.NewTurnID(), Text: "hello"}
		first, second := make(chan error, 1), make(chan error, 1)
		go func() { _, err := hub.Accept(leaving, session, p); first <- err }()
		synctest.Wait()
		go func() { _, err := hub.Accept(t.Context(), session, p); second <- err }()
		if err := <-first; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the first: %v", err)
		}
		disk.full.Store(false)
		if err := <-second; err != nil {
			t.Errorf("the second: %v", err)
		}
		synctest.Wait()
		if n := agent.turns.Load(); n != 1 {
			t.Errorf("%d turns ran", n)
		}
	})
}

func TestAccept_CommitOutcomeUnknown_ReturnsErrUnknown(t *testing.T) {
	t.Parallel()
	onFullDisk(t, true, func(t *testing.T, hub *hub.Hub, _ *fullDisk, _ *ran, session bellcord.SessionID) {
		if _, err := hub.Accept(t.Context(), session, bellcord.Prompt{Text: "hello"}); !errors.Is(err, bellcord.ErrUnknown) {
			t.Errorf("answered with %v", err)
		}
	})
}

// Law 2: a stop of a withdrawn turn applies if the same prompt is sent again.
func TestStop_WithdrawnTurn_AppliesWhenPromptIsSentAgain(t *testing.T) {
	t.Parallel()
	onFullDisk(t, false, func(t *testing.T, hub *hub.Hub, disk *fullDisk, agent *ran, session bellcord.SessionID) {
		p := bellcord.Prompt{Turn: bellcord.NewTurnID(), Text: "hello"}
		accepted := make(chan error, 1)
		go func() { _, err := hub.Accept(t.Context(), session, p); accepted <- err }()
		synctest.Wait()
		stopping := hub.Stop(bellcord.StopTurn(p.Turn, bellcord.Cause{By: "anna"}))
		bounded, done := context.WithTimeout(t.Context(), 2*time.Second)
		defer done()
		answers, err := stopping.Wait(bounded)
		if !errors.Is(err, context.DeadlineExceeded) || len(answers) != 1 || answers[0].State != bellcord.StopStateInProgress {
			t.Errorf("before the request is recorded: answers %+v, error %v", answers, err)
		}
		if err := <-accepted; !errors.Is(err, bellcord.ErrStoreDown) {
			t.Errorf("accepted: %v", err)
		}
		recovers(t, hub, disk)
		if err := stopping.Recorded(t.Context()); err != nil {
			t.Error(err)
		}
		answers, err = stopping.Wait(t.Context())
		if err != nil || len(answers) != 1 || answers[0].State != bellcord.StopStateWaitingForTurn {
			t.Errorf("answers %+v, error %v", answers, err)
		}
		if _, err := hub.Accept(t.Context(), session, p); err != nil {
			t.Fatal(err)
		}
		if err := hub.Await(t.Context(), p.Turn); err != nil {
			t.Fatal(err)
		}
		if r, err := hub.Turn(t.Context(), p.Turn); err != nil || r.Receipt == nil || r.Receipt.End != bellcord.EndStopped || agent.turns.Load() != 0 {
			t.Errorf("record %+v, error %v, %d ran", r, err, agent.turns.Load())
		}
	})
}

// untilStopped is an agent that works until its turn is stopped.
type untilStopped struct{}

func (untilStopped) Run(ctx context.Context, _ *hub.Work) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// Law 37: the stop returns the receipt that the log has. The process that received the
// stop has withdrawn the turn, and another process has accepted the same prompt.
func TestStop_WithdrawnTurnIsAcceptedElsewhere_ReturnsItsReceipt(t *testing.T) {
	t.Parallel()
	onFullDisk(t, false, func(t *testing.T, near *hub.Hub, disk *fullDisk, _ *ran, session bellcord.SessionID) {
		store, err := sqlite.Open(t.Context(), disk.dir)
		if err != nil {
			t.Fatal(err)
		}
		far, err := hub.Open(t.Context(), store, untilStopped{}, hub.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := errors.Join(far.Close(context.Background()), store.Close()); err != nil {
				t.Error(err)
			}
		}()
		p := bellcord.Prompt{Turn: bellcord.NewTurnID(), Text: "hello"}
		refused := make(chan error, 1)
		go func() { _, err := near.Accept(t.Context(), session, p); refused <- err }()
		synctest.Wait()
		if _, err := far.Accept(t.Context(), session, p); err != nil {
			t.Fatal(err)
		}
		stopping := near.Stop(bellcord.StopTurn(p.Turn, bellcord.Cause{By: "anna"}))
		if err := <-refused; !errors.Is(err, bellcord.ErrStoreDown) {
			t.Errorf("the withdrawn prompt: %v", err)
		}
		disk.full.Store(false)
		bounded, done := context.WithTimeout(t.Context(), time.Minute)
		defer done()
		answers, err := stopping.Wait(bounded)
		if err != nil || len(answers) != 1 || answers[0].State != bellcord.StopStateSettled || answers[0].Receipt.End != bellcord.EndStopped {
			t.Errorf("answers %+v, error %v", answers, err)
		}
	})
}

// A relayed stop has no record in the process that receives it.
func TestStop_RelayedToWithdrawnTurn_WaitsForTheTurn(t *testing.T) {
	t.Parallel()
	onFullDisk(t, false, func(t *testing.T, hub *hub.Hub, _ *fullDisk, _ *ran, session bellcord.SessionID) {
		p := bellcord.Prompt{Turn: bellcord.NewTurnID(), Text: "hello"}
		refused := make(chan error, 1)
		go func() { _, err := hub.Accept(t.Context(), session, p); refused <- err }()
		synctest.Wait()
		req := bellcord.StopTurn(p.Turn, bellcord.Cause{By: "anna", At: time.Now()})
		req.Relayed = true
		answers, err := hub.Stop(req).Wait(t.Context())
		if err != nil || len(answers) != 1 || answers[0].State != bellcord.StopStateWaitingForTurn {
			t.Errorf("answers %+v, error %v", answers, err)
		}
		if err := <-refused; !errors.Is(err, bellcord.ErrStoreDown) {
			t.Errorf("the prompt: %v", err)
		}
	})
}
