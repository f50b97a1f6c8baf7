package cluster_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
)

// The home node has a copy of the session, which a change in the store does not
// reach: it would keep the title of the old conversation.
func TestClear_FromAnotherNode_ClearsAtTheHomeNode(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := settledAt(b, a)
	if _, err := b.Configure(session, bellcord.SessionUpdated{Mode: "read-only"}); err != nil {
		t.Fatal(err)
	}
	turn := b.runs(session, "hang")
	if _, err := a.OpenSession(inTime(t), session); err != nil {
		t.Fatal(err)
	}
	stopping, err := a.Clear(session, by)
	if err != nil {
		t.Fatal(err)
	}
	answers, err := stopping.Wait(inTime(t))
	if err != nil || len(answers) != 1 || answers[0].Turn != turn || answers[0].Receipt == nil || answers[0].Receipt.End != bellcord.EndStopped {
		t.Fatalf("the clear stopped %+v, %v", answers, err)
	}
	if got, err := b.Hub.Session(inTime(t), session); err != nil || got.Title != "" || got.Mode != "read-only" {
		t.Errorf("at home it is %+v, %v, want no title", got, err)
	}
	b.record(b.prompt(session, "say another subject"))
	if got, err := b.Hub.Session(inTime(t), session); err != nil || got.Title != "say another subject" {
		t.Errorf("the title of the new conversation is %q, %v", got.Title, err)
	}
	cleared := func(ev bellcord.Event) bool { _, is := ev.Body.(bellcord.ConversationCleared); return is }
	if events := b.events(session); len(events)-len(slices.DeleteFunc(events, cleared)) != 1 {
		t.Error("the log does not have one end of the conversation")
	}
}

// A turn that starts at the home node meanwhile must not be cut out of the
// conversation: only the home node has its queue.
func TestRewind_FromAnotherNode_RewindsAtTheHomeNode(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := settledAt(b, a)
	second := b.prompt(session, "say second")
	b.record(second)
	a.ForgetSession(session)
	rewound, err := a.Rewind(inTime(t), session, second)
	if err != nil || rewound.Turn != second || rewound.FromSeq == 0 {
		t.Fatalf("%+v, %v", rewound, err)
	}
	if a.IsIdle(session) {
		t.Error("the session is open at the other node, which made the change")
	}
	if _, err := a.Rewind(inTime(t), session, second); !errors.Is(err, bellcord.ErrNotInConversation) {
		t.Errorf("the same rewind again: %v", err)
	}
	hanging := b.runs(session, "hang")
	if _, err := a.Rewind(inTime(t), session, ""); !errors.Is(err, bellcord.ErrTurnRunning) {
		t.Errorf("a rewind while a turn runs at the home node: %v", err)
	}
	a.settles(bellcord.StopTurn(hanging, by))
	if back, err := a.Rewind(inTime(t), session, ""); err != nil || !back.TakenBack {
		t.Errorf("taking it back: %+v, %v", back, err)
	}
	if _, err := a.Rewind(inTime(t), session, ""); !errors.Is(err, bellcord.ErrNoRewind) {
		t.Errorf("taking back what is taken back: %v", err)
	}
}

func TestClearAndRewind_HomeNodeIsGone_AreMadeHere(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join()
	session := settledAt(b, a)
	second := b.prompt(session, "say second")
	b.record(second)
	b.leave()
	if rewound, err := a.Rewind(inTime(t), session, second); err != nil || rewound.Turn != second {
		t.Errorf("%+v, %v", rewound, err)
	}
	if _, err := a.Clear(session, by); err != nil {
		t.Error(err)
	}
}
