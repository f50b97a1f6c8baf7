package cluster_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
)

func TestAnswer_FromAnotherNode_ReachesTheTurnUntilItEnds(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := b.session()
	turn := b.runs(session, "ask may I?")
	until(t, "the question is seen from the other node", func() bool {
		standing := a.standings(session)[turn]
		return len(standing.Questions) == 1 && standing.Questions[0].ID == "q" && standing.State == bellcord.StateRunning
	})
	if err := a.Answer(turn, "another", bellcord.Reply{Choice: "yes"}, "anna"); !errors.Is(err, bellcord.ErrNoQuestion) {
		t.Errorf("an answer to no question: %v", err)
	}
	if err := a.Answer(turn, "q", bellcord.Reply{Choice: "yes"}, "anna"); err != nil {
		t.Fatal(err)
	}
	b.record(turn)
	events := b.events(session)
	if delta, is := events[len(events)-2].Body.(bellcord.TextDelta); !is || delta.Text != "yes" {
		t.Errorf("the agent heard %+v", events[len(events)-2].Body)
	}
	if err := a.Answer(turn, "q", bellcord.Reply{Choice: "no"}, "anna"); !errors.Is(err, bellcord.ErrTurnEnded) {
		t.Errorf("a late answer: %v", err)
	}
	turn = b.runs(session, "ask for a reason?")
	until(t, "it asks", func() bool { standing, _ := b.QueueEntry(turn); return len(standing.Questions) == 1 })
	if err := a.Answer(turn, "q", bellcord.Reply{Choice: "no", Reason: "too early"}, "anna"); err != nil {
		t.Fatal(err)
	}
	b.record(turn)
	if !slices.ContainsFunc(b.events(session), func(ev bellcord.Event) bool {
		answered, is := ev.Body.(bellcord.QuestionAnswered)
		return is && answered.Reason == "too early"
	}) {
		t.Error("the reason is missing")
	}
	turn = b.runs(session, "ask again?")
	until(t, "it asks", func() bool { standing, _ := b.QueueEntry(turn); return len(standing.Questions) == 1 })
	r := a.settles(bellcord.StopTurn(turn, by))
	if err := a.Answer(turn, "q", bellcord.Reply{Choice: "yes"}, "anna"); !errors.Is(err, bellcord.ErrTurnEnded) || len(r.WithdrawnQuestions) != 1 {
		t.Errorf("an answer behind a stop: %v; closed: %v", err, r.WithdrawnQuestions)
	}
}

func TestAnswer_ScopeIsMissingAtAnotherNode_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := b.session()
	turn := b.runs(session, "ask an admin may I?")
	until(t, "it asks", func() bool { standing, _ := b.QueueEntry(turn); return len(standing.Questions) == 1 })
	for _, scopes := range [][]bellcord.Scope{nil, {bellcord.ScopeRead, bellcord.ScopePrompt}} {
		if err := a.Answer(turn, "q", bellcord.Reply{Choice: "yes", Scopes: scopes}, "bert"); !errors.Is(err, bellcord.ErrAnswerScope) {
			t.Errorf("allowed with %v: %v", scopes, err)
		}
	}
	if err := a.Answer(turn, "q", bellcord.Reply{Choice: "yes", Scopes: []bellcord.Scope{bellcord.ScopeAdmin}}, "anna"); err != nil {
		t.Fatal(err)
	}
	b.record(turn)
	events := b.events(session)
	if delta, is := events[len(events)-2].Body.(bellcord.TextDelta); !is || delta.Text != "yes" {
		t.Errorf("the agent heard %+v", events[len(events)-2].Body)
	}
}

func TestAnswer_FormFromAnotherNode_PassesValuesAndNamesTheWrongField(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := b.session()
	turn := b.runs(session, "form how many?")
	until(t, "the form is seen from the other node", func() bool {
		standing := a.standings(session)[turn]
		return len(standing.Questions) == 1 && len(standing.Questions[0].Fields) == 1
	})
	answer := func(count string) error {
		return a.Answer(turn, "q", bellcord.Reply{Choice: bellcord.ChoiceAccept, Values: map[string]json.RawMessage{"count": json.RawMessage(count)}}, "anna")
	}
	var invalid *bellcord.InvalidReplyError
	if err := answer(`"many"`); !errors.As(err, &invalid) || invalid.Text != `field "count": expected a whole number` {
		t.Errorf("a wrong value: %v", err)
	}
	if err := answer(`3`); err != nil {
		t.Fatal(err)
	}
	b.record(turn)
	events := b.events(session)
	if delta, is := events[len(events)-2].Body.(bellcord.TextDelta); !is || delta.Text != "3" {
		t.Errorf("the agent received %+v", events[len(events)-2].Body)
	}
}

// standings returns the queue entries of a session's turns at a node.
func (n *node) standings(session bellcord.SessionID) map[bellcord.TurnID]bellcord.QueueEntry {
	n.t.Helper()
	turns, err := n.UnendedTurns(inTime(n.t), session)
	if err != nil {
		n.t.Fatal(err)
	}
	return n.QueueEntries(turns)
}

func TestQueue_OfAnotherNode_CanBeListedEditedAndReordered(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := b.session()
	first := b.runs(session, "hang")
	second, third := b.prompt(session, "say second"), b.prompt(session, "say third")
	if err := errors.Join(a.Edit(second, "say changed"), a.MoveToFront(third)); err != nil {
		t.Fatal(err)
	}
	all := a.standings(session)
	if all[first].Position != 0 || all[third].Position != 1 || all[second].Position != 2 || all[second].Text != "say changed" || all[second].State != bellcord.StateQueued {
		t.Errorf("from the other node the line is %+v", all)
	}
	if err := a.Edit(first, "say no"); !errors.Is(err, bellcord.ErrStarted) {
		t.Errorf("editing what runs: %v", err)
	}
	if err := a.MoveToFront(bellcord.NewTurnID()); !errors.Is(err, bellcord.ErrNoTurn) {
		t.Errorf("sending what is not there: %v", err)
	}
	a.settles(bellcord.StopTurn(first, by))
	if all := a.standings(session); !all[second].Held || !all[third].Held {
		t.Errorf("behind the stop the line is %+v", all)
	}
	a.Release(session)
	before, after := b.record(third), b.record(second)
	if before.Receipt.Times.Settled.After(after.Receipt.Times.Settled) {
		t.Error("what was sent first did not run first")
	}
	if text, _ := b.ran(second); text != "say changed" {
		t.Errorf("the agent was given %q", text)
	}
	if err := a.Edit(second, "say no"); !errors.Is(err, bellcord.ErrNoTurn) {
		t.Errorf("editing what has ended: %v", err)
	}
}

func TestRelease_OneTurnOfAnotherNode_KeepsTheOthersHeld(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := b.session()
	first := b.runs(session, "hang")
	second, third := b.prompt(session, "say second"), b.prompt(session, "say third")
	a.settles(bellcord.StopTurn(first, by))
	a.Release(session, third)
	b.record(third)
	if all := a.standings(session); !all[second].Held {
		t.Errorf("after the release of another turn it is %+v, want it held", all[second])
	}
	a.Release(session)
	b.record(second)
}

func TestConfigure_FromAnotherNode_ChangesTheHomeNode(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := settledAt(b, a)
	changed, err := a.Configure(session, bellcord.SessionUpdated{Model: "fake/other", Title: "a title"})
	if err != nil || changed.Model != "fake/other" || changed.Title != "a title" {
		t.Fatalf("%+v, %v", changed, err)
	}
	if got, err := b.Session(inTime(t), session); err != nil || got.Model != "fake/other" {
		t.Errorf("at home it is %+v, %v", got, err)
	}
	until(t, "it is on record", func() bool {
		stored, err := a.base.Session(inTime(t), session)
		return err == nil && stored.Model == "fake/other" && stored.Title == "a title"
	})
}

func TestDeleteSession_OtherNodes_ReleaseTheSession(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var mu sync.Mutex
	var deleted []bellcord.SessionID
	a, b := s.join(), s.join(func(with *setup) {
		with.Deleted = func(id bellcord.SessionID) {
			mu.Lock()
			defer mu.Unlock()
			deleted = append(deleted, id)
		}
	})
	session, other := settledAt(b, a), settledAt(b, a)
	if err := a.DeleteSession(inTime(t), session, by); err != nil {
		t.Fatal(err)
	}
	until(t, "b ends what it has of it", func() bool { mu.Lock(); defer mu.Unlock(); return len(deleted) > 0 })
	if stats := b.Stats(); len(deleted) != 1 || deleted[0] != session || stats.Sessions != 1 {
		t.Errorf("let go: %v; open: %+v", deleted, stats)
	}
	if _, err := b.Session(inTime(t), session); !errors.Is(err, bellcord.ErrNoSession) {
		t.Errorf("it is there still: %v", err)
	}
	if _, err := b.Session(inTime(t), other); err != nil {
		t.Error(err)
	}
}

// NATS servers do not have the subscriptions of a new node immediately.
func TestPrompt_HomeNodeHasJustJoined_IsRetried(t *testing.T) {
	inABubble(t, func(t *testing.T, s *bubble) {
		a := s.join()
		session, turn := a.session(), bellcord.NewTurnID()
		s.home[session] = "late"
		conn, err := nats.Connect("", nats.InProcessServer(s.nats))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		signs := newSigner(t, bubbleKey, "late", time.Now)
		time.AfterFunc(25*time.Millisecond, func() {
			_, err := conn.Subscribe(prefix+".node.late.ctl", func(m *nats.Msg) {
				_ = m.Respond(signs.Answer(m.Data, []byte(`{"turn":"`+string(turn)+`"}`)))
			})
			if err != nil {
				t.Error(err)
			}
		})
		if id := a.prompt(session, "say hello"); id != turn {
			t.Errorf("the home was not asked again: accepted as %s", id)
		}
		began := time.Now()
		s.home[session] = "nobody" // the retries take only a moment
		id := a.prompt(session, "say hello")
		if took := time.Since(began); took > 100*time.Millisecond {
			t.Errorf("nobody was asked for %v", took)
		}
		synctest.Wait()
		if _, ran := a.ran(id); !ran {
			t.Error("it was not accepted here")
		}
	})
}

// Messages of other nodes may be invalid or of another version.
func TestNode_InvalidMessages_AreIgnored(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.join()
	voice := s.voice()
	for _, subject := range []string{prefix + ".all", prefix + ".node." + a.id + ".ctl", prefix + ".node." + a.id + ".ev"} {
		for _, what := range []any{"nonsense", map[string]any{}, []any{map[string]any{"kind": "of tomorrow", "session": "s", "seq": 1}}, []any{}} {
			voice.publish(subject, what)
		}
	}
	for _, verb := range []string{"prompt", "configure", "answer", "edit", "send", "release", "standings", "of tomorrow"} {
		if answer := voice.request(a.id, map[string]any{"verb": verb}); !strings.HasPrefix(answer, "{") {
			t.Errorf("%s: %s", verb, answer)
		}
	}
	if answer := voice.answered(a.id); answer != "{}" {
		t.Errorf("it says %s", answer)
	}
}
