package cluster_test

import (
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

func TestLaw04_StopFromAnotherNode_ReturnsTheStoredReceipt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := b.session()
	for range 20 {
		turn := b.runs(session, "hang")
		began := time.Now()
		answered := a.settles(bellcord.StopTurn(turn, by))
		took := time.Since(began)
		record := b.record(turn)
		if answered.End != bellcord.EndStopped || answered.RaceWinner != bellcord.StopWon || answered.Cause.By != "anna" || !same(t, answered, record.Receipt) {
			t.Errorf("answered %+v, on record %+v", answered, record.Receipt)
		}
		if record.Node != b.id || !same(t, b.causeOf(turn), answered.Cause) {
			t.Errorf("it was at %s and ended by %v", record.Node, b.causeOf(turn))
		}
		t.Logf("settled, as told by the other node, after %v", took)
	}
}

func TestLaw32_WithoutNATS_StopArrivesWithinTheSweepInterval(t *testing.T) {
	const sweep = 250 * time.Millisecond
	inABubble(t, func(t *testing.T, s *bubble) {
		often := func(with *setup) { with.hub.Sweep = sweep }
		a, b := s.join(often), s.join(often)
		session := b.session()
		s.home[session] = b.id
		s.nats.Shutdown()
		for name, scope := range map[string]bellcord.StopRequest{
			"a turn":     {},
			"a session":  everywhere(bellcord.StopSession(session, by)),
			"everything": everywhere(bellcord.StopAll(by)),
		} {
			turn := b.runs(session, "hang")
			if name == "a turn" {
				scope.Turn = turn
			}
			began := time.Now()
			answered := a.settles(scope)
			if took := time.Since(began); took > 2*sweep { // b's until the stop, and a's until its end
				t.Errorf("%s: settled after %v", name, took)
			}
			if record := b.record(turn); answered.End != bellcord.EndStopped || !same(t, answered, record.Receipt) {
				t.Errorf("%s: answered %+v, on record %+v", name, answered, record.Receipt)
			}
		}
	})
}

func TestLaw02_RelayedStopBeforeItsPrompt_RunsNoAgent(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	stuck := newStuck()
	a, b := s.join(func(with *setup) { with.store = stuck.around }), s.join()
	session := b.session()
	b.record(b.prompt(session, "say hello")) // b is its home node now
	turn := bellcord.NewTurnID()
	stuck.hang() // the stop's row is delayed, its message is not
	stopping := a.Stop(bellcord.StopTurn(turn, by))
	if _, err := a.Ping(inTime(t), b.id); err != nil {
		t.Fatal(err)
	}
	if id := a.prompt(session, "say no", func(p *bellcord.Prompt) { p.Turn = turn }); id != turn {
		t.Errorf("it is called %s", id)
	}
	r := b.record(turn)
	stuck.goOn()
	if _, ran := b.ran(turn); ran || r.Node != b.id || r.Receipt.End != bellcord.EndStopped || r.Receipt.Prompt != "say no" {
		t.Errorf("its agent ran: %v; %+v at %s", ran, r.Receipt, r.Node)
	}
	if answers, err := stopping.Wait(inTime(t)); err != nil || len(answers) != 1 || !same(t, answers[0].Receipt, r.Receipt) {
		t.Errorf("answered %+v, %v", answers, err)
	}
}

func TestLaw07_StopsAtTwoNodes_HaveOneReceipt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b, c := s.join(), s.join(), s.join()
	session := b.session()
	turn := b.runs(session, "hang")
	others := bellcord.Cause{Kind: bellcord.CausePerson, By: "bert", Source: "test"}
	first, second, third := a.Stop(bellcord.StopTurn(turn, by)), c.Stop(bellcord.StopTurn(turn, others)), a.Stop(bellcord.StopTurn(turn, by))
	record := b.record(turn)
	for _, stopping := range []*hub.Stopping{first, second, third} {
		answers, err := stopping.Wait(inTime(t))
		if err != nil || len(answers) != 1 || !same(t, answers[0].Receipt, record.Receipt) {
			t.Errorf("answered %+v, %v", answers, err)
		}
	}
	if n := b.count(session, turn, "turn_ended"); n != 1 {
		t.Errorf("it has %d ends", n)
	}
	if n := b.count(session, turn, "stop_requested"); n > 1 { // none if its end came first
		t.Errorf("it has %d stops on record", n)
	}
}
