package cluster_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// watch opens a viewer of a session.
func (n *node) watch(session bellcord.SessionID) *hub.Cursor {
	n.t.Helper()
	c, err := n.Events(n.t.Context(), session, 0)
	if err != nil {
		n.t.Fatal(err)
	}
	return c
}

func TestWatch_Closed_EndsAfterItsLease(t *testing.T) {
	inABubble(t, func(t *testing.T, s *bubble) {
		a, b := s.join(), s.join()
		session := b.session()
		voice := s.voice()
		b.release()
		viewer := a.watch(session)
		pass(10 * time.Minute)
		b.record(b.prompt(session, "say hello"))
		synctest.Wait()
		if _, events := voice.frames(session); events == 0 {
			t.Error("a viewer of ten minutes is sent nothing")
		}
		viewer.Close()
		pass(9 * time.Second) // the last renewal was up to 5 s ago
		if !b.bus.Elsewhere(session) {
			t.Error("it ended before its lease")
		}
		pass(12 * time.Second) // a lease of 15 s, and 5 s until the next check
		if b.bus.Elsewhere(session) {
			t.Error("it did not end with its lease")
		}
		_, before := voice.frames(session)
		b.record(b.prompt(session, "say hello"))
		synctest.Wait()
		if _, after := voice.frames(session); after != before {
			t.Errorf("%d events were sent to nobody", after-before)
		}
	})
}

// The watch of a node that has left is not renewed.
func TestWatch_OfANodeThatLeft_Ends(t *testing.T) {
	inABubble(t, func(t *testing.T, s *bubble) {
		a, b := s.join(), s.join()
		session := b.session()
		viewer := a.watch(session)
		synctest.Wait()
		if !b.bus.Elsewhere(session) {
			t.Error("it is not known")
		}
		viewer.Close()
		a.leave()
		pass(21 * time.Second)
		if b.bus.Elsewhere(session) {
			t.Error("a node that is gone watches")
		}
	})
}

func TestLaw34_ViewersAtAnotherNode_AreCounted(t *testing.T) {
	inABubble(t, func(t *testing.T, s *bubble) {
		a, b := s.join(), s.join()
		session, unwatched := b.session(), b.session()
		for _, n := range []*node{a, b} {
			if n.bus.Elsewhere(session) {
				t.Error("it is watched before anybody does")
			}
		}
		one, other := a.watch(session), a.watch(session)
		synctest.Wait()
		if !b.bus.Elsewhere(session) || b.bus.Elsewhere(unwatched) {
			t.Error("b does not know what is watched at a")
		}
		if a.bus.Elsewhere(session) {
			t.Error("a takes its own viewers for another node's")
		}
		one.Close()
		pass(time.Minute)
		if !b.bus.Elsewhere(session) {
			t.Error("one of two viewers is not counted")
		}
		c := s.join() // it joins long after the viewer
		if !c.bus.Elsewhere(session) {
			t.Error("a node that has just come does not know")
		}
		other.Close()
		pass(21 * time.Second)
		if b.bus.Elsewhere(session) || c.bus.Elsewhere(session) {
			t.Error("nobody watches, and it is not known")
		}
	})
}

func TestLaw34_WithoutNATS_SessionCountsAsWatched(t *testing.T) {
	inABubble(t, func(t *testing.T, s *bubble) {
		b := s.join()
		session := b.session()
		if b.bus.Elsewhere(session) {
			t.Error("it is watched before anybody does")
		}
		s.nats.Shutdown()
		pass(time.Minute)
		if !b.bus.Elsewhere(session) {
			t.Error("nobody can tell, and it counts as unwatched")
		}
	})
}

// Nodes with turns that depend on viewers wait for the ends of other nodes'
// turns. If such a node counted as a viewer, each would keep the other's turn
// alive.
func TestLaw34_WaitingForTheEnd_IsNotCountedAsAViewer(t *testing.T) {
	inABubble(t, func(t *testing.T, s *bubble) {
		a, b, c := s.join(), s.join(), s.join()
		session := b.session()
		turn := b.prompt(session, "hang")
		go func() { _ = a.Await(t.Context(), turn) }()
		synctest.Wait()
		if c.bus.Elsewhere(session) {
			t.Error("who waits for the end is taken for a viewer")
		}
		b.stop(bellcord.StopTurn(turn, by))
	})
}
