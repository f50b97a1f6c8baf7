package history_test

import (
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
)

// script is a log that is built turn by turn.
type script struct{ events []bellcord.Event }

func (s *script) add(turn bellcord.TurnID, bodies ...bellcord.Body) {
	for _, b := range bodies {
		s.events = append(s.events, bellcord.Event{Seq: int64(len(s.events) + 1), Turn: turn, Body: b})
	}
}

// turn adds a turn and returns the number of its start.
func (s *script) turn(id bellcord.TurnID) int64 {
	s.add(id, bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: "prompt " + string(id)}}, bellcord.TurnStarted{})
	from := int64(len(s.events))
	s.add(id, bellcord.StepStarted{Step: 1}, bellcord.TextDelta{Text: "answer " + string(id)}, bellcord.StepEnded{}, bellcord.TurnEnded{Receipt: bellcord.Receipt{Turn: id, End: bellcord.EndDone}})
	return from
}

func (s *script) texts() []string {
	var all []string
	for _, m := range history.Recorded(s.events) {
		all = append(all, m.Text)
	}
	return all
}

func (s *script) expect(t *testing.T, turns ...string) {
	t.Helper()
	var want []string
	for _, id := range turns {
		want = append(want, "prompt "+id, "answer "+id)
	}
	if got := s.texts(); !slices.Equal(got, want) {
		t.Errorf("the conversation is %q, want %q", got, want)
	}
}

func TestRewind_TurnsFromThere_AreNotPartOfTheConversation(t *testing.T) {
	t.Parallel()
	var s script
	s.turn("a")
	from := s.turn("b")
	s.turn("c")
	s.add("", bellcord.ConversationRewound{Turn: "b", FromSeq: from})
	s.expect(t, "a")
	s.turn("d")
	s.expect(t, "a", "d")
}

func TestRewind_TakenBack_RestoresTheTurns(t *testing.T) {
	t.Parallel()
	var s script
	first := s.turn("a")
	second := s.turn("b")
	s.add("", bellcord.ConversationRewound{Turn: "b", FromSeq: second}, bellcord.ConversationRewound{Turn: "a", FromSeq: first})
	s.expect(t)
	s.add("", bellcord.ConversationRewound{TakenBack: true})
	s.expect(t, "a")
	s.add("", bellcord.ConversationRewound{TakenBack: true})
	s.expect(t, "a", "b")
}

func TestRewind_CompactionInTheRewoundPart_NoLongerApplies(t *testing.T) {
	t.Parallel()
	var s script
	s.turn("a")
	s.add("b", bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: "prompt b"}}, bellcord.TurnStarted{})
	from := int64(len(s.events))
	s.add("b", bellcord.ConversationCompacted{Summary: "everything", FromSeq: from}, bellcord.TurnEnded{Receipt: bellcord.Receipt{Turn: "b", End: bellcord.EndDone}})
	s.add("", bellcord.ConversationRewound{Turn: "b", FromSeq: from})
	s.expect(t, "a")
}

func TestRewind_PromptAcceptedBeforeAndStartedAfter_IsPartOfTheConversation(t *testing.T) {
	t.Parallel()
	var s script
	from := s.turn("a")
	s.add("held", bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: "prompt held"}})
	s.add("", bellcord.ConversationRewound{Turn: "a", FromSeq: from})
	s.add("held", bellcord.TurnStarted{}, bellcord.StepStarted{Step: 1}, bellcord.TextDelta{Text: "answer held"})
	s.expect(t, "held")
}

// turns returns the turns of the log.
func (s *script) turns() *history.Turns {
	all := &history.Turns{}
	for _, ev := range s.events {
		all.Read(ev)
	}
	return all
}

func TestTurns_ClearedOrRewound_AreNotInTheConversation(t *testing.T) {
	t.Parallel()
	var s script
	first := s.turn("a")
	second := s.turn("b")
	s.add("", bellcord.ConversationRewound{Turn: "b", FromSeq: second})
	for turn, want := range map[bellcord.TurnID]int64{"a": first, "b": 0, "none": 0} {
		if got, err := s.turns().Find(turn); got.Seq != want || (err != nil) != (want == 0) || !s.turns().Rewound() {
			t.Errorf("%s: %+v, %v", turn, got, err)
		}
	}
	s.add("", bellcord.ConversationCleared{})
	if _, err := s.turns().Find("a"); err == nil || s.turns().Rewound() {
		t.Error("a turn of a cleared conversation can be rewound to")
	}
	if n := len(s.turns().Started()); n != 2 {
		t.Errorf("%d turns have started", n)
	}
}

func TestTurns_EditedPromptAndTurnThatNeverStarted_HaveTheirLastWordsAndNone(t *testing.T) {
	t.Parallel()
	var s script
	s.add("a", bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: "first"}})
	s.add("b", bellcord.TurnAccepted{Prompt: bellcord.Prompt{Text: "dropped"}}, bellcord.TurnEnded{})
	s.add("a", bellcord.PromptEdited{Text: "second\nline"}, bellcord.TurnStarted{}, bellcord.TurnEnded{})
	want := []history.Turn{{ID: "a", Seq: 5, Words: "second"}}
	if got := s.turns().Conversation(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
