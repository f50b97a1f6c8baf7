package cluster_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
)

// settledAt creates a session with its home at n, and waits until others can
// reach n.
func settledAt(n *node, others ...*node) bellcord.SessionID {
	n.t.Helper()
	session := n.session()
	n.record(n.prompt(session, "say hello"))
	for _, other := range others {
		until(n.t, "they hear each other", func() bool { _, err := other.Ping(inTime(n.t), n.id); return err == nil })
	}
	return session
}

func policy(p bellcord.BusyPolicy) func(*bellcord.Prompt) {
	return func(prompt *bellcord.Prompt) { prompt.WhenBusy = p }
}

func TestPrompt_SessionWithAnotherHomeNode_AppliesItsPolicyThere(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := settledAt(b, a)
	running := a.prompt(session, "hang")
	until(t, "b runs it", func() bool { _, ran := b.ran(running); return ran })
	waiting := a.prompt(session, "hang", policy(bellcord.BusyQueue))
	if line := b.Queue(session); len(line) != 2 || line[0].Turn != running || line[1].Turn != waiting {
		t.Errorf("the line at home is %+v", line)
	}
	if id, err := a.Accept(inTime(t), session, bellcord.Prompt{Text: "say no", WhenBusy: bellcord.BusyReject}); !errors.Is(err, bellcord.ErrBusy) {
		t.Errorf("a prompt that wants no line is answered %s, %v", id, err)
	}
	instead := a.prompt(session, "say instead", policy(bellcord.BusyReplace))
	if r := b.record(instead); r.Receipt.End != bellcord.EndDone || r.Node != b.id {
		t.Errorf("%+v at %s", r.Receipt, r.Node)
	}
	for _, id := range []bellcord.TurnID{running, waiting} {
		if r := b.record(id).Receipt; r.End != bellcord.EndStopped || r.Cause.Kind != bellcord.CauseReplaced || r.Cause.By != string(instead) {
			t.Errorf("what was replaced: %+v", r)
		}
	}
	if stats := a.Stats(); stats.Sessions > 0 {
		t.Errorf("the node that passed it on keeps %+v", stats)
	}
	if id, err := a.Accept(inTime(t), bellcord.NewSessionID(), bellcord.Prompt{Text: "say hello"}); !errors.Is(err, bellcord.ErrNoSession) {
		t.Errorf("a prompt for no session is answered %s, %v", id, err)
	}
}

func TestPrompt_HomeNodeDrainingOrGone_IsAcceptedHere(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := settledAt(b, a)
	if err := b.WaitForTurns(inTime(t)); err != nil {
		t.Fatal(err)
	}
	if r := a.record(a.prompt(session, "say hello")); r.Node != a.id || r.Receipt.End != bellcord.EndDone { // b replies that it is draining
		t.Errorf("with a home that takes leave: %+v at %s", r.Receipt, r.Node)
	}
	c := s.join()
	session = settledAt(c, a)
	c.leave()
	if r := a.record(a.prompt(session, "say hello")); r.Node != a.id || r.Receipt.End != bellcord.EndDone {
		t.Errorf("with a home that is gone: %+v at %s", r.Receipt, r.Node)
	}
}

func TestPrompt_HomeNodeDoesNotAnswer_IsAcceptedHereOnce(t *testing.T) {
	inABubble(t, func(t *testing.T, s *bubble) {
		a := s.join()
		voice := s.voice() // receives the request to the home node and does not reply
		session := a.session()
		s.home[session] = "deaf"
		turn := a.prompt(session, "say hello")
		a.record(turn)
		if n := a.count(session, turn, "turn_accepted"); n != 1 {
			t.Errorf("it was accepted %d times", n)
		}
		count := voice.countMessages("deaf")
		if count != 1 {
			t.Errorf("the home was asked %d times", count)
		}
	})
}

// The home node accepts the prompt, and its reply is lost.
func TestPrompt_ReplyLost_CreatesOneTurn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	mouth := &mouth{}
	a := s.join()
	b := s.join(func(with *setup) { with.Options = []nats.Option{nats.SetCustomDialer(mouth)} })
	session := settledAt(b, a)
	mouth.shut.Store(true)
	turn := a.prompt(session, "say hello")
	if r := a.record(turn); r.Node != b.id || r.Receipt.End != bellcord.EndDone {
		t.Errorf("%+v at %s", r.Receipt, r.Node)
	}
	if _, ran := a.ran(turn); ran || a.count(session, turn, "turn_accepted") != 1 || a.count(session, turn, "turn_ended") != 1 {
		t.Errorf("it ran here, too: %v; %d times accepted", ran, a.count(session, turn, "turn_accepted"))
	}
}

// A draining node accepts no prompt itself. That does not determine whether
// the home node accepted it, if the reply was lost.
func TestPrompt_ReplyLostAtDrainingNode_IsAccepted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	mouth := &mouth{}
	a := s.join()
	b := s.join(func(with *setup) { with.Options = []nats.Option{nats.SetCustomDialer(mouth)} })
	session := settledAt(b, a)
	if err := a.Drain(inTime(t), bellcord.Cause{Kind: bellcord.CauseShutdown}); err != nil {
		t.Fatal(err)
	}
	mouth.shut.Store(true)
	turn := bellcord.NewTurnID()
	if id, err := a.Accept(inTime(t), session, bellcord.Prompt{Turn: turn, Text: "say hello"}); err != nil || id != turn {
		t.Errorf("accepted at its home, it is answered %s, %v", id, err)
	}
	if r := b.record(turn); r.Node != b.id || r.Receipt.End != bellcord.EndDone {
		t.Errorf("%+v at %s", r.Receipt, r.Node)
	}
}

// The outcome of a request without a reply is unknown if the turn is not in
// the store: it may still be accepted. A request that was never sent is
// rejected.
func TestPrompt_NoReplyAtDrainingNode_IsUnknownIfSentAndRejectedIfNot(t *testing.T) {
	for _, delivered := range []bool{true, false} {
		t.Run(fmt.Sprint("heard ", delivered), func(t *testing.T) {
			inABubble(t, func(t *testing.T, s *bubble) {
				a := s.join()
				if delivered {
					voice := s.voice() // receives the request to the home node and does not reply
					defer func() {
						if voice.countMessages("deaf") != 1 {
							t.Error("the home was not asked")
						}
					}()
				}
				session := a.session()
				s.home[session] = "deaf"
				if err := a.Drain(t.Context(), bellcord.Cause{Kind: bellcord.CauseShutdown}); err != nil {
					t.Fatal(err)
				}
				_, err := a.Accept(t.Context(), session, bellcord.Prompt{Text: "say hello"})
				if errors.Is(err, bellcord.ErrUnknown) != delivered || errors.Is(err, bellcord.ErrDraining) == delivered {
					t.Errorf("answered %v", err)
				}
			})
		})
	}
}

// A different turn with the same id is an error.
func TestPrompt_IDOfAnotherTurn_IsRejectedAtEveryNode(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := settledAt(b, a)
	taken := b.prompt(session, "say hello")
	b.record(taken)
	if id, err := a.Accept(inTime(t), session, bellcord.Prompt{Turn: taken, Text: "say again"}); !errors.Is(err, bellcord.ErrTurnExists) {
		t.Errorf("it is answered %s, %v", id, err)
	}
}
