package cluster_test

import (
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestLaw29_QueueAction_IsAppliedAtTheNodeWithTheQueue(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	for _, fate := range []bellcord.QueueAction{bellcord.QueueHold, bellcord.QueueDrop, bellcord.QueueNext} {
		session := b.session()
		running := b.runs(session, "hang")
		waiting := b.prompt(session, "say hello")
		answers := a.stop(bellcord.StopRequest{Turn: running, Queue: fate})
		r := answers[0].Receipt
		if r == nil || r.Queue != fate {
			t.Fatalf("%s: the answers are %+v", fate, answers)
		}
		switch fate {
		case bellcord.QueueHold:
			standing, local := b.QueueEntry(waiting)
			if !local || !standing.Held || !slices.Contains(r.HeldTurns, waiting) {
				t.Errorf("held: %+v, %v; the receipt says %v", standing, local, r.HeldTurns)
			}
			b.stop(bellcord.StopTurn(waiting, by))
		case bellcord.QueueDrop:
			dropped := b.record(waiting).Receipt
			if _, ran := b.ran(waiting); ran || dropped.End != bellcord.EndStopped || dropped.Prompt != "say hello" || !slices.Contains(r.DroppedTurns, waiting) {
				t.Errorf("dropped: %+v, its agent ran: %v; the receipt says %v", dropped, ran, r.DroppedTurns)
			}
		case bellcord.QueueNext:
			if next := b.record(waiting).Receipt; next.End != bellcord.EndDone || len(r.HeldTurns)+len(r.DroppedTurns) > 0 {
				t.Errorf("next: %+v; the receipt is %+v", next, r)
			}
		}
	}
}

func TestLaw29_SessionStopWithDrop_EndsQueuedTurnsAtAnotherNode(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := b.session()
	running, waiting := b.runs(session, "hang"), b.prompt(session, "say hello")
	a.stop(everywhere(bellcord.StopRequest{Session: session, Queue: bellcord.QueueDrop}))
	if first, second := b.record(running).Receipt, b.record(waiting).Receipt; first.End != bellcord.EndStopped || second.End != bellcord.EndStopped {
		t.Errorf("%+v, %+v", first, second)
	}
	if _, ran := b.ran(waiting); ran {
		t.Error("a turn that was dropped ran")
	}
}

func TestStop_AfterStepFromAnotherNode_StopsAfterTheCurrentStep(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := b.session()
	turn := b.runs(session, "steps")
	stopping := a.Stop(bellcord.StopRequest{Turn: turn, Mode: bellcord.StopAfterStep, Cause: by})
	until(t, "the owner knows", func() bool { standing, _ := b.QueueEntry(turn); return standing.StopRequest != nil })
	if why := b.causeOf(turn); why != nil {
		t.Fatalf("it ended within the step: %v", why)
	}
	b.release()
	answers, err := stopping.Wait(inTime(t))
	if err != nil || len(answers) != 1 || answers[0].Receipt == nil {
		t.Fatalf("answered %+v, %v", answers, err)
	}
	if r := answers[0].Receipt; r.End != bellcord.EndStopped || r.Cause.Mode != bellcord.StopAfterStep || b.count(session, turn, "step_started") != 1 {
		t.Errorf("%+v after %d steps", r, b.count(session, turn, "step_started"))
	}
}

func TestStop_ForceAfterGracefulFromAnotherNode_ForcesTheTurn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	turn := b.runs(b.session(), "linger")
	patient := a.Stop(bellcord.StopTurn(turn, by))
	until(t, "the owner knows", func() bool { standing, _ := b.QueueEntry(turn); return standing.StopRequest != nil })
	if b.wasForced(turn) {
		t.Fatal("it was forced by a stop that is patient")
	}
	forced := a.settles(bellcord.StopRequest{Turn: turn, Mode: bellcord.StopForce})
	if !b.wasForced(turn) || forced.End != bellcord.EndStopped || forced.Cause.Mode == bellcord.StopForce {
		t.Errorf("forced: %v; %+v", b.wasForced(turn), forced)
	}
	if answers, err := patient.Wait(inTime(t)); err != nil || !same(t, answers[0].Receipt, forced) {
		t.Errorf("the first stop is answered %+v, %v", answers, err)
	}
}
