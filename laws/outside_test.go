package laws_test

import (
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Laws 4 and 29: a stop recorded by another process has the same effect
// wherever this process first reads it: at its next commit, at its next poll,
// or only when the turn finishes. The turns behind it are held, and the receipt
// lists them.
func TestLaw29_StopFromAnotherProcess_HoldsTheQueue(t *testing.T) {
	t.Parallel()
	isFinish := func(op store.Op) bool { _, is := op.(store.FinishTurn); return is }
	for _, c := range []struct {
		name, prompt string
		atFinish     bool
	}{
		{"at the next commit", "[slow 1000]", false},
		{"at the next look", "[hang after 3]", false},
		{"at the finish", "[fast 3]", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onStage(t, func(s *stage) {
				held := (<-chan struct{})(nil)
				if c.atFinish {
					held = s.store.shut(isFinish)
				}
				turn := s.send("", c.prompt)
				next := s.send("", "[say next]")
				if c.atFinish {
					<-held // the agent is done; the write of its end is blocked at the store
					s.stopFromOutside(turn.ID)
					s.store.open()
				} else {
					s.await(turn.ID, emittedText("word3"))
					s.stopFromOutside(turn.ID)
				}
				<-turn.Settled()
				r := turn.Receipt()
				if r.End != bellcord.EndStopped || r.Queue != bellcord.QueueHold || len(r.HeldTurns) != 1 || r.HeldTurns[0] != next.ID {
					s.t.Errorf("%+v", r)
				}
				select {
				case <-next.Settled():
					s.t.Error("what was held ran")
				case <-time.After(time.Minute):
				}
				s.Release(s.session)
				<-next.Settled()
				if next.Receipt().End != bellcord.EndDone {
					s.t.Errorf("released, it ended %s", next.Receipt().End)
				}
			})
		})
	}
}
