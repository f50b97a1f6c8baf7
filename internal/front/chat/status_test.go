package chat_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

// hasAt checks that a screen of the given width has a line.
func (s *stage) hasAt(width int, line string) *stage {
	s.t.Helper()
	if got := s.screen(width, 24); !strings.Contains("\n"+got, "\n"+line+"\n") {
		s.t.Errorf("%q is not a line of the screen:\n%s", line, got)
	}
	return s
}

// spread returns a left and a right text with the spaces between them.
func spread(width int, left, right string) string {
	return left + strings.Repeat(" ", width-1-ansi.StringWidth(left)-ansi.StringWidth(right)) + right
}

func TestStatusLine_RunningCall_IsShortenedAndTheKeyStays(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").happens(
		bellcord.StepStarted{Step: 1, EstimatedInput: 12000, Price: &bellcord.Price{Input: 3000, Output: 15000}},
		called("c", "shell", `{"command":"go test ./..."}`), bellcord.ToolCallStarted{Call: "c"},
	).after(42 * time.Second)
	s.hasAt(80, spread(80, "● running 0:42 · shell go test ./... · ~12.0k tok · ~$0.04", "esc stops"))
	s.hasAt(60, "● running 0:42 · shell go… · ~12.0k tok · ~$0.04  esc stops")
	s.hasAt(39, "● running 0:42 · shell go …  esc stops") // no costs
	s.hasAt(20, "● runni…  esc stops")
	s.hasAt(10, "● running…")
}

func TestStatusLine_LayerOpen_NamesCtrlC(t *testing.T) {
	t.Parallel()
	for name, opens := range map[string]func(s *stage){
		"menu":   func(s *stage) { s.types("/") },
		"search": func(s *stage) { s.press("ctrl+r") },
		"queue":  func(s *stage) { s.press("tab") },
		"help":   func(s *stage) { s.types("?") },
		"picker": func(s *stage) { s.m.Apply(chat.Report{Of: chat.ShowList{At: chat.AtSessions}}) },
	} {
		s := newStage(t).runs("go").of("t2").prompted("later")
		opens(s)
		t.Log(name)
		s.hasAt(80, spread(80, "● running 0:00", "ctrl+c stops"))
		s.press("esc")
		s.hasAt(80, spread(80, "● running 0:00", "esc stops"))
	}
}

func TestStatusLine_Question_ShowsItsTimeAndItsLetters(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").after(30 * time.Second)
	s.happens(bellcord.QuestionOpened{Question: bellcord.Question{ID: "q", Text: "Run `x`?"}})
	s.screen(80, 24)
	s.after(3*time.Second).hasAt(80, spread(80, "? waiting for you 0:03 · y, a or n, then enter", "esc stops"))

	s = newStage(t).runs("go").happens(bellcord.QuestionOpened{Question: bellcord.Question{ID: "q", Text: "Run `x`?", Choices: []bellcord.Choice{
		{ID: "1", Kind: "allow_once"}, {ID: "2", Kind: "reject_once"},
	}}})
	s.screen(80, 24)
	s.after(700*time.Millisecond).hasAt(80, spread(80, "? waiting for you 0:00 · y or n, then enter", "esc stops"))
}

func TestStatusLine_Stopping_NamesTheKeyThatForces(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").happens(called("c", "shell", `{"command":"./stubborn"}`), bellcord.ToolCallStarted{Call: "c"})
	s.press("esc")
	s.hasAt(80, spread(80, "■ stopping…", "ctrl+c forces"))
	s.after(5 * time.Second)
	s.hasAt(80, spread(80, "■ stopping… waiting for ./stubborn, 3 s at most", "ctrl+c forces"))
	s.hasAt(60, "■ stopping… waiting for ./stub…, 3 s at most  ctrl+c forces")
	s.press("ctrl+c")
	s.hasAt(80, "■ stopping now… waiting for ./stubborn")
}

func TestSubmit_Status_ShowsTheStateWithoutKeys(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go")
	s.enters("/status")
	s.hasAt(80, "● running 0:00")
}

// An agent can use the id of an open call again.
func TestStatusLine_CallIDUsedAgain_NamesTheAgent(t *testing.T) {
	t.Parallel()
	call := called("c", "shell", `{"command":"x"}`)
	s := newStage(t).runs("go").happens(call, call, bellcord.ToolCallEnded{Call: "c"})
	s.press("esc")
	s.after(2 * time.Second).has("waiting for the agent to return")
}
