package cluster_test

import (
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

// everywhere widens a stop to all nodes.
func everywhere(r bellcord.StopRequest) bellcord.StopRequest {
	r.Everywhere = true
	return r
}

func TestLaw04_StopEverywhere_EndsTheTurnsOfOtherNodes(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b, c := s.join(), s.join(), s.join()
	atB, atC := b.session("anna"), c.session("bert")
	for name, scope := range map[string]struct {
		req  bellcord.StopRequest
		b, c bool // whether the turn at the node ends
	}{
		"a session":          {everywhere(bellcord.StopSession(atB, by)), true, false},
		"everything":         {everywhere(bellcord.StopAll(by)), true, true},
		"an owner's":         {everywhere(bellcord.StopRequest{Owner: "bert", Cause: by}), false, true},
		"what is here alone": {bellcord.StopAll(by), false, false},
	} {
		one, other := b.runs(atB, "hang"), c.runs(atC, "hang")
		a.stop(scope.req)
		for _, n := range []*node{b, c} { // they have received the messages sent before
			if _, err := a.Ping(inTime(t), n.id); err != nil {
				t.Fatal(err)
			}
		}
		if ends := b.endsSoon(one, scope.b); ends != scope.b {
			t.Errorf("%s: the turn at b has ended: %v", name, ends)
		}
		if ends := c.endsSoon(other, scope.c); ends != scope.c {
			t.Errorf("%s: the turn at c has ended: %v", name, ends)
		}
		b.stop(bellcord.StopAll(by))
		c.stop(bellcord.StopAll(by))
		if scope.b && b.record(one).Receipt.Cause.By != "anna" {
			t.Errorf("%s: %+v", name, b.record(one).Receipt)
		}
	}
}

// endsSoon reports whether a turn has ended; with should, it waits for the
// end.
func (n *node) endsSoon(id bellcord.TurnID, should bool) bool {
	if should {
		n.record(id)
	}
	return n.causeOf(id) != nil
}

func TestLaw37_StopEverywhere_AnswersForEveryTurnThatItEnded(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := b.session()
	for range 20 {
		for _, req := range []bellcord.StopRequest{everywhere(bellcord.StopSession(session, by)), everywhere(bellcord.StopAll(by))} {
			turn := b.runs(session, "hang")
			if answered := a.settles(req); !same(t, answered, b.record(turn).Receipt) {
				t.Errorf("answered %+v", answered)
			}
		}
	}
}

func TestLaw35_RelayedStopOfAnotherOwner_DoesNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := b.session("anna")
	turn := b.runs(session, "hang")
	if answers, err := a.Stop(bellcord.StopRequest{Turn: turn, Owner: "eve", Cause: by}).Wait(inTime(t)); err == nil {
		t.Errorf("a turn of somebody else's is answered: %+v", answers)
	}
	for _, req := range []bellcord.StopRequest{{Session: session, Owner: "eve"}, {Owner: "eve"}} {
		if answers := a.stop(everywhere(req)); len(answers) > 0 {
			t.Errorf("%+v is answered: %+v", req, answers)
		}
	}
	if _, err := a.Ping(inTime(t), b.id); err != nil { // it went behind the stops
		t.Fatal(err)
	}
	if r, err := b.Turn(inTime(t), turn); err != nil || r.Stop != nil || b.causeOf(turn) != nil {
		t.Errorf("it has the stop %v and ended by %v; %v", r.Stop, b.causeOf(turn), err)
	}
	a.stop(everywhere(bellcord.StopRequest{Owner: "anna"}))
	if r := b.record(turn).Receipt; r.End != bellcord.EndStopped {
		t.Errorf("by its owner's stop it is %+v", r)
	}
}

func TestLaw01_StopEverywhere_SparesTurnsAcceptedAfterIt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	b := s.join()
	session := b.session()
	old := b.runs(session, "hang")
	requested := time.Now()
	young := b.runs(b.session(), "hang")
	voice := s.voice()
	cause := by
	cause.At = requested
	voice.stop(bellcord.StopRequest{Everywhere: true, Cause: cause})
	b.record(old)
	voice.answered(b.id) // the messages before have been processed
	if why := b.causeOf(young); why != nil {
		t.Errorf("a turn that was accepted behind the stop ended: %v", why)
	}
	if r := b.settles(bellcord.StopTurn(young, by)); r.End != bellcord.EndStopped {
		t.Errorf("%+v", r)
	}
}
