package chat_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

// stopped ends the stage's first turn with a stop that holds the given turns.
func (s *stage) stopped(held ...bellcord.TurnID) *stage {
	return s.of("t1").ends(bellcord.Receipt{End: bellcord.EndStopped, HeldTurns: held})
}

func TestQueueLines_OnePrompt_IsOneLineWithItsKeyAtTheRight(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").of("t2").prompted("then update\nthe changelog")
	s.has("queue 1 · then update the changelog" + strings.Repeat(" ", 53) + "tab: manage\n")
	if got := s.screen(40, 20); !strings.Contains(got, "queue 1 · then update the…  tab: manage\n") {
		t.Errorf("in a narrow window it is\n%s", got)
	}
}

func TestQueueLines_SeveralPrompts_AreNumberedAsForTheCommands(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").of("t2").prompted("second").of("t3").prompted("third")
	s.has("\nqueue 2"+strings.Repeat(" ", 81)+"tab: manage\n", "\n  1 second\n  2 third\n")
	if drop := s.enters("/drop 2")[0]; drop != stopOf("t3") {
		t.Errorf("/drop 2 did %#v", drop)
	}
	for _, id := range []bellcord.TurnID{"t4", "t5", "t6"} {
		s.of(id).prompted("prompt of " + string(id))
	}
	s.has("\nqueue 5 ", "  4 prompt of t5\n").hasNot("prompt of t6")
	s.press("tab")
	s.has("  2 third\n", "› 5 prompt of t6\n").hasNot("  1 second")
}

func TestQueueLines_AfterAStop_NamesTheReason(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").of("t2").prompted("then run the tests").of("t3").prompted("and write a summary").stopped("t2", "t3")
	want := "held 2: not sent, because the turn was stopped" + strings.Repeat(" ", 22) + "tab: manage\n  1 then run the tests\n  2 and write a summary\n○ ready\n"
	if got := s.screen(80, 24); !strings.Contains(got, want) {
		t.Errorf("it is\n%s", got)
	}
}

func TestQueueLines_SomePromptsHeld_NamesThem(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").of("t2").prompted("tests").stopped("t2")
	s.of("t3").runs("more").of("t4").prompted("lint")
	s.has("queue 1 · held 1: not sent, because the turn was stopped", "  1 held: tests\n  2 lint\n")
}

func TestQueueLines_SelectedPrompt_ShowsTheKeysForIt(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").of("t2").prompted("second")
	s.press("tab")
	const keys = "enter edits · d discards · s sends now · tab leaves"
	s.has("queue 1"+strings.Repeat(" ", 41)+keys+"\n", "› 1 second\n")
	s.stopped("t2").press("tab")
	s.press("tab")
	if got := s.screen(80, 24); !strings.Contains(got, "stopped\n  "+keys+"\n› 1 second\n") {
		t.Errorf("beside a long title the keys are\n%s", got)
	}
}

func stopOf(turn bellcord.TurnID) chat.Action { return chat.Stop{Turn: turn, Mode: bellcord.StopNow} }
