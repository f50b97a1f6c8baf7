package cluster_test

import (
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

// Without NATS, only the stop's row reaches the other node: it must contain
// everything.
func TestLaw29_WithoutNATS_QueueActionReachesTheOwner(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	often := func(with *setup) { with.hub.Sweep = 100 * time.Millisecond }
	a, b := s.join(often), s.join(often)
	s.nats.Shutdown()
	for _, fate := range []bellcord.QueueAction{bellcord.QueueHold, bellcord.QueueDrop, bellcord.QueueNext} {
		session := b.session()
		running := b.runs(session, "hang")
		waiting := b.prompt(session, "say hello")
		if r := a.settles(bellcord.StopRequest{Turn: running, Queue: fate}); r.Queue != fate {
			t.Errorf("%s: the receipt says %s, held %v, dropped %v", fate, r.Queue, r.HeldTurns, r.DroppedTurns)
		}
		b.stop(bellcord.StopTurn(waiting, by))
	}
}

func TestStop_ForceAfterGracefulWithoutNATS_ForcesTheTurn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	often := func(with *setup) { with.hub.Sweep = 100 * time.Millisecond }
	a, b := s.join(often), s.join(often)
	s.nats.Shutdown()
	turn := b.runs(b.session(), "linger")
	a.Stop(bellcord.StopTurn(turn, by))
	until(t, "the owner knows", func() bool { standing, _ := b.QueueEntry(turn); return standing.StopRequest != nil })
	if r := a.settles(bellcord.StopRequest{Turn: turn, Mode: bellcord.StopForce}); !b.wasForced(turn) || r.AgentAbandoned {
		t.Errorf("forced: %v, abandoned: %v", b.wasForced(turn), r.AgentAbandoned)
	}
}

// A node with an open session but without its turns returns the settings that
// the home node changed.
func TestSession_ChangedAtTheHomeNode_IsCurrentAtOtherNodes(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := b.session()
	if _, err := a.OpenSession(inTime(t), session); err != nil { // as a front does before it changes a setting
		t.Fatal(err)
	}
	b.record(b.prompt(session, "say hello"))
	if _, err := b.Configure(session, bellcord.SessionUpdated{Model: "fake/other"}); err != nil {
		t.Fatal(err)
	}
	until(t, "it is on record", func() bool {
		stored, err := a.base.Session(inTime(t), session)
		return err == nil && stored.Model == "fake/other"
	})
	if got, err := a.Session(inTime(t), session); err != nil || got.Model != "fake/other" {
		t.Errorf("at the other node it has the model %q, %v", got.Model, err)
	}
}

// A busy policy is for the queue of the session, on whichever node it is.
func TestPrompt_BusyRejectWithoutNATS_IsRejected(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := b.session()
	b.runs(session, "hang")
	s.nats.Shutdown()
	if id, err := a.Accept(inTime(t), session, bellcord.Prompt{Text: "say no", WhenBusy: bellcord.BusyReject}); err == nil {
		t.Errorf("accepted as %s", id)
		a.stop(bellcord.StopTurn(id, by))
	}
}
