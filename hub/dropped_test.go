package hub_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// stepper is an agent whose turn "first" has two steps, the second one when goOn is
// closed. All other turns are like typed commands: they have no step.
type stepper struct {
	goOn     chan struct{}
	once     sync.Once
	commands atomic.Int32
}

func (s *stepper) release() { s.once.Do(func() { close(s.goOn) }) }

func (s *stepper) Run(ctx context.Context, w *hub.Work) error {
	if w.Prompt.Text != "first" {
		s.commands.Add(1)
		return nil
	}
	if err := w.Step(ctx, bellcord.StepStarted{}); err != nil {
		return err
	}
	<-s.goOn
	return w.Step(ctx, bellcord.StepStarted{})
}

// settles fails the test if the turn has not settled after a minute.
func settles(t *testing.T, turn *hub.Turn) {
	t.Helper()
	select {
	case <-turn.Settled():
	case <-time.After(time.Minute):
		t.Fatal("the turn has not settled after a minute")
	}
}

// A turn that has not started has no step to finish, so a stop after the step ends
// it now, whichever way the stop comes.
func TestLaw29_StopAfterStepOfQueuedTurn_NeverRuns(t *testing.T) {
	t.Parallel()
	after := func(r bellcord.StopRequest) bellcord.StopRequest {
		r.Mode, r.Cause = bellcord.StopAfterStep, bellcord.Cause{By: "anna"}
		return r
	}
	for name, stop := range map[string]func(h fixture, other store.Store, first, second bellcord.TurnID){
		"dropped with the running turn": func(h fixture, _ store.Store, first, _ bellcord.TurnID) {
			h.Stop(after(bellcord.StopRequest{Turn: first, Queue: bellcord.QueueDrop}))
		},
		"dropped with the session": func(h fixture, _ store.Store, _, _ bellcord.TurnID) {
			h.Stop(after(bellcord.StopRequest{Session: h.session, Queue: bellcord.QueueDrop}))
		},
		"named": func(h fixture, _ store.Store, _, second bellcord.TurnID) {
			h.Stop(after(bellcord.StopRequest{Turn: second}))
		},
		"recorded by another process": func(h fixture, other store.Store, _, second bellcord.TurnID) {
			cause := bellcord.Cause{Kind: bellcord.CausePerson, By: "anna", Mode: bellcord.StopAfterStep, At: time.Now()}
			if _, err := other.Commit(h.t.Context(), []store.Op{store.RecordStop{Turn: second, Cause: cause}}); err != nil {
				h.t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				agent := &stepper{goOn: make(chan struct{})}
				defer agent.release()
				h := openAt(t, dir, agent, hub.Options{})
				other, err := sqlite.Open(t.Context(), dir)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = other.Close() })
				first := h.prompt("first")
				second := h.send(bellcord.Prompt{Text: "!rm -rf build", Task: bellcord.TaskCommand})
				synctest.Wait()
				stop(h, other, first.ID, second.ID)
				settles(t, second) // before the running turn has ended
				agent.release()
				<-first.Settled()
				r := second.Receipt()
				if n := agent.commands.Load(); n != 0 || r.End != bellcord.EndStopped || r.Prompt != "!rm -rf build" || r.Cause.Mode != "" {
					t.Errorf("the stopped turn ran %d times: %+v", n, r)
				}
			})
		})
	}
}

func TestLaw02_EarlyStopAfterStep_TurnNeverRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		agent := &stepper{}
		h := open(t, agent, hub.Options{})
		id := bellcord.NewTurnID()
		h.Stop(bellcord.StopRequest{Turn: id, Mode: bellcord.StopAfterStep})
		turn := h.send(bellcord.Prompt{Turn: id, Text: "!make", Task: bellcord.TaskCommand})
		settles(t, turn)
		if agent.commands.Load() != 0 || turn.Receipt().End != bellcord.EndStopped {
			t.Errorf("ran %d times, ended %s", agent.commands.Load(), turn.Receipt().End)
		}
	})
}

// A relayed stop and the recorded one affect the same turns: those that were
// queued when the stop was requested.
func TestLaw01_LateStopWithDrop_SparesTurnsAcceptedAfterIt(t *testing.T) {
	t.Parallel()
	for name, arrive := range map[string]func(h fixture, other store.Store, req bellcord.StopRequest) error{
		"relayed": func(h fixture, _ store.Store, req bellcord.StopRequest) error {
			req.Relayed = true
			h.Stop(req)
			return nil
		},
		"recorded": func(h fixture, other store.Store, req bellcord.StopRequest) error {
			_, err := other.Commit(h.t.Context(), []store.Op{store.RecordStop{Turn: req.Turn, Cause: req.Cause}})
			return err
		},
	} {
		for _, queue := range []bellcord.QueueAction{bellcord.QueueDrop, bellcord.QueueHold} {
			t.Run(name+" "+string(queue), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				synctest.Test(t, func(t *testing.T) {
					agent := &stepper{goOn: make(chan struct{})}
					defer agent.release()
					h := openAt(t, dir, agent, hub.Options{})
					other, err := sqlite.Open(t.Context(), dir)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = other.Close() })
					first, before := h.prompt("first"), h.prompt("before")
					<-time.After(time.Second)
					cause := bellcord.Cause{Kind: bellcord.CausePerson, By: "anna", At: time.Now(), Queue: queue}
					<-time.After(time.Second)
					later := h.prompt("later")
					<-time.After(time.Second)
					req := bellcord.StopRequest{Turn: first.ID, Queue: queue, Cause: cause}
					if err := arrive(h, other, req); err != nil {
						t.Fatal(err)
					}
					<-time.After(time.Second)
					agent.release()
					<-first.Settled()
					settles(t, later)
					r, affected := first.Receipt(), first.Receipt().DroppedTurns
					if queue == bellcord.QueueHold {
						affected = r.HeldTurns
					}
					if !slices.Equal(affected, []bellcord.TurnID{before.ID}) || later.Receipt().End != bellcord.EndDone {
						t.Errorf("the stop affected %v, not %s alone; the later turn ended %s", affected, before.ID, later.Receipt().End)
					}
				})
			})
		}
	}
}
