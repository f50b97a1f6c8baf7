package chat_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

func TestCard_RunningCall_HasItsTimeAtTheRight(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").after(5 * time.Second).happens(called("c", "shell", `{"command":"go test ./..."}`))
	s.hasAt(80, "⚙ shell go test ./...") // it has not started
	s.happens(bellcord.ToolCallStarted{Call: "c"}).after(7 * time.Second)
	s.hasAt(80, spread(80, "⚙ shell go test ./...", "0:07"))
	s.hasAt(39, "⚙ shell go test ./...")
	s.happens(bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished}).hasAt(80, "✓ shell go test ./...")
}

func TestCard_LongTitle_KeepsItsTimeInTheFirstLine(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").happens(called("c", "shell", `{"command":"`+strings.Repeat("word ", 20)+`"}`), bellcord.ToolCallStarted{Call: "c"})
	first, _, _ := strings.Cut(s.screen(60, 24)[len("\n> go\n\n"):], "\n")
	if !strings.HasPrefix(first, "⚙ shell word") || !strings.HasSuffix(first, " 0:00") {
		t.Errorf("it is %q", first)
	}
}

func TestCard_LiveOutputIsFolded_CountsItsLines(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").happens(called("c", "shell", `{"command":"x"}`), bellcord.ToolCallStarted{Call: "c"})
	s.happens(bellcord.ToolOutputDelta{Call: "c", Text: strings.Repeat("row\n", 5)}).hasNot("shows all")
	s.happens(bellcord.ToolOutputDelta{Call: "c", Text: strings.Repeat("row\n", 206) + "last"})
	s.has("  │ row\n  │ last\n  │ … 212 lines · ctrl+o shows all\n")
	s.press("ctrl+t")
	s.hasNot("shows all")
}
