package hub_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// twoCalls runs the calls a and b at once and returns when both have ended.
func twoCalls(ctx context.Context, w *hub.Work) error {
	ends := make(chan error, 2)
	for _, id := range []string{"a", "b"} {
		_ = w.Emit(bellcord.ToolCallRequested{Call: id, Name: "wait"})
		_ = w.Emit(bellcord.ToolCallStarted{Call: id})
		of, done := w.CallContext(ctx, id)
		go func() {
			<-of.Done()
			done()
			ends <- w.Emit(bellcord.ToolCallEnded{Call: id, Outcome: bellcord.CallStopped, Result: context.Cause(of).Error()})
		}()
	}
	return errors.Join(<-ends, <-ends)
}

func TestStop_OneCall_EndsOnlyThatCallAndTheTurnGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := open(t, script(twoCalls), hub.Options{})
		turn := h.prompt("go")
		synctest.Wait()
		stopCall := func(turn bellcord.TurnID, call, owner string) error {
			answers, err := h.Stop(bellcord.StopRequest{Turn: turn, Call: call, Owner: owner, Cause: bellcord.Cause{By: "anna"}}).Wait(t.Context())
			if len(answers) > 0 {
				t.Errorf("answered %+v", answers)
			}
			synctest.Wait()
			return err
		}
		for _, test := range []struct {
			turn        bellcord.TurnID
			call, owner string
			want        error
		}{
			{turn.ID, "none", "", bellcord.ErrNoCall},
			{turn.ID, "a", "bert", bellcord.ErrNoTurn},
			{bellcord.NewTurnID(), "a", "", bellcord.ErrNoTurn},
			{turn.ID, "a", "", nil},
			{turn.ID, "a", "", bellcord.ErrNoCall}, // it has ended
		} {
			if err := stopCall(test.turn, test.call, test.owner); !errors.Is(err, test.want) {
				t.Errorf("call %s: %v, want %v", test.call, err, test.want)
			}
		}
		select {
		case <-turn.Settled():
			t.Fatal("the turn has ended")
		default:
		}
		if err := stopCall(turn.ID, "b", ""); err != nil {
			t.Fatal(err)
		}
		<-turn.Settled()
		r := turn.Receipt()
		if r.End != bellcord.EndDone || r.Cause != nil || len(r.Calls.Stopped) != 2 {
			t.Errorf("receipt %+v", r)
		}
	})
}

func TestStop_Turn_EndsTheContextsOfItsCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := open(t, script(twoCalls), hub.Options{})
		turn := h.prompt("go")
		synctest.Wait()
		if r := h.stop(bellcord.StopTurn(turn.ID, bellcord.Cause{})).Receipt; r.End != bellcord.EndStopped || len(r.Calls.Stopped) != 2 {
			t.Errorf("receipt %+v", r)
		}
	})
}
