package chat_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

func TestScreen_Turn_HasOnlyWhatIsNotPrinted(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").text("It is finished.\n\nIt is open")
	expectText(t, "what is printed", s.finished(), "\n> go\n\nIt is finished.")
	expectText(t, "the screen", s.live(60, 24), "\nIt is open\n● running 0:00 · ~7 tok"+strings.Repeat(" ", 27)+"esc stops\n›\n  enter queues\n")
	s.ends(bellcord.Receipt{End: bellcord.EndDone})
	expectText(t, "what is printed at the end", s.finished(), "\nIt is open\n● done 0:00")
	expectText(t, "the idle screen", s.live(60, 24), "\n○ ready\n›\n  openai/fake · ask · /work/here\n")
}

func TestScreen_LongAnswer_IsSmall(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").text(strings.Repeat("words and more words ", 500))
	for _, size := range [][2]int{{100, 60}, {80, 24}, {40, 12}, {20, 5}, {10, 2}, {10, 1}} {
		most := min(13, size[1])
		if n := len(s.m.Screen(size[0], size[1]).Lines); n > most || n > 3+max(1, size[1]/3) {
			t.Errorf("in %v it has %d lines", size, n)
		}
	}
}

func TestScreen_WhileTheLogIsRead_ShowsNothingOfIt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.m.Replay()
	s.runs("go").text("It is open")
	s.hasNot("It is open")
	s.m.CaughtUp()
	s.has("It is open")
}

func TestUnfinished_AtTheExit_ReturnsTheOpenPart(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").text("It is finished.\n\nIt is open")
	s.finished()
	expectText(t, "the rest", strings.Join(s.m.Unfinished(60), "\n"), "\nIt is open")
}

func TestApply_AnotherSessionOpened_NamesItBeforeItsLastTurns(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go")
	s.finished()
	s.m.Apply(chat.Report{Of: chat.Open{Session: "other"}, Session: &bellcord.Session{ID: "other", Title: "The cart"}})
	expectText(t, "before the log is read, it", s.finished(), "")
	s.m.CaughtUp()
	expectText(t, "it", s.finished(), "\n— session: The cart —")
	s.m.Apply(chat.Report{Of: chat.Open{Session: "other"}, Session: &bellcord.Session{ID: "other", Title: "The cart"}})
	expectText(t, "the same session again", s.finished(), "")
}

func TestPress_QuestionMark_ShowsHelpOnlyInAnEmptyInput(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("?")
	s.has("Help"+strings.Repeat(" ", 62)+"up, down scroll · esc or ? closes\nStop    esc · ctrl+c", "Recall  up, down", "/undo", "/compact")
	s.press("end")
	s.has("/quit")
	if !s.m.Screen(80, 24).Alternate {
		t.Error("the help is not on the alternate screen")
	}
	s.types("x") // not a key of the help, and not text
	s.press("esc")
	s.hasNot("Help", "› x")
	s.types("what?").has("› what?")
}

func TestPress_CtrlO_ShowsTheWholeConversation(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").happens(called("c", "shell", `{"command":"seq"}`))
	output := ""
	for i := range 100 {
		output += fmt.Sprintf("row%d\n", i)
	}
	s.happens(bellcord.ToolCallEnded{Call: "c", Result: output})
	got := s.finished()
	if !strings.Contains(got, "  │ row2\n  │ … 92 more lines · ctrl+o shows all\n  │ row95\n") {
		t.Errorf("what is printed is\n%s", got)
	}
	expectActions(t, s.press("ctrl+o"))
	s.has("Transcript  ", "esc closes · ctrl+c stops\n", "│ row99", "│ row80").hasNot("│ row40")
	s.press("home")
	s.has("> go", "│ row0", "│ row20")
	s.press("pgdown")
	s.has("│ row40")
	expectActions(t, s.press("esc")) // closes it and stops nothing
	s.has("● running", "esc stops").hasNot("Transcript")
	s.press("ctrl+o")
	expectActions(t, s.press("ctrl+c"), stopT1)
	s.has("Transcript", "■ stopping…")
}

func TestPress_CtrlL_DrawsAgain(t *testing.T) {
	t.Parallel()
	expectActions(t, newStage(t).press("ctrl+l"), chat.Redraw{})
}

func TestScreen_StoppedTurn_HasOneEndLineWithTheProof(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").text("words")
	s.press("esc")
	s.after(3300 * time.Millisecond).ends(bellcord.Receipt{
		End: bellcord.EndStopped, Cause: person("me", "terminal"), Kept: bellcord.Kept{TextBytes: 5, FinishedCalls: 1}, Usage: bellcord.Usage{OutputTokens: 1234},
		Processes: bellcord.Processes{Ended: make([]bellcord.Process, 3), Proof: "cgroup_empty", Survivors: []bellcord.Process{{PID: 7, Name: "dæmon"}}},
	})
	got := s.screen(200, 30)
	want := "■ stopped after 3.3 s · 3 processes ended (cgroup empty) · ! still running: dæmon (7) · kept: text, 1 result · ~1.2k tok\n\n○ ready"
	if !strings.Contains(got, want) || strings.Count(got, "stopped") != 1 {
		t.Errorf("the screen is\n%s\nwithout\n%s", got, want)
	}
}
