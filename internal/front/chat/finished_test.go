package chat_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
)

// finished returns the lines that were finished since the last call, without
// styles.
func (s *stage) finished() string {
	return ansi.Strip(strings.Join(s.print(60), "\n"))
}

func (s *stage) text(text string) *stage { return s.happens(bellcord.TextDelta{Text: text}) }

func expectText(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s is\n%s\nnot\n%s", what, got, want)
	}
}

func TestFinished_Paragraph_IsReturnedOnceWhenAnEmptyLineFollows(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go")
	expectText(t, "the prompt", s.finished(), "\n> go\n")
	s.text("It *is*\n")
	expectText(t, "an open paragraph", s.finished(), "")
	s.text("done.\n\nNext")
	expectText(t, "the paragraph", s.finished(), "It is done.")
	expectText(t, "the second call", s.finished(), "")
	s.happens(bellcord.StepEnded{})
	expectText(t, "the last paragraph", s.finished(), "\nNext")
}

// The second call ends first. It is printed after the first one, as in the log.
func TestFinished_ParallelCalls_AreReturnedInOrder(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").happens(called("a", "shell", `{"command":"slow"}`), called("b", "shell", `{"command":"quick"}`))
	s.finished()
	s.happens(bellcord.ToolCallEnded{Call: "b", Result: "2"})
	expectText(t, "while the first call runs, it", s.finished(), "")
	s.happens(bellcord.ToolCallEnded{Call: "a", Result: "1"})
	expectText(t, "after both", s.finished(), "✓ shell slow\n  │ 1\n✓ shell quick\n  │ 2")
}

// Every piece of text must come out once, wherever the stream is cut.
func TestFinished_LongCode_IsReturnedInPartsThatAddUpToTheWhole(t *testing.T) {
	t.Parallel()
	source, want := "Before it:\n```go\n", "Before it:\n"
	for i := range 40 {
		source += fmt.Sprintf("line(%02d)\n", i)
		want += fmt.Sprintf("  line(%02d)\n", i)
		if i%9 == 7 {
			source, want = source+"\n", want+"  \n"
		}
	}
	source, want = source+"```\nAfter it.\n\n", want+"\nAfter it."
	for _, piece := range []int{1, 7, 100, len(source)} {
		s := newStage(t).runs("go")
		s.finished()
		var parts []string
		early := 0
		for at := 0; at < len(source); at += piece {
			s.text(source[at:min(len(source), at+piece)])
			if lines := s.m.Finished(60); len(lines) > 0 {
				parts = append(parts, lines...)
				if at+piece < len(source)-30 {
					early = len(parts)
				}
			}
		}
		got := ansi.Strip(strings.Join(parts, "\n"))
		expectText(t, fmt.Sprintf("in pieces of %d the answer", piece), got, want)
		if piece < 200 && early < 30 {
			t.Errorf("in pieces of %d, only %d lines came before the code was closed", piece, early)
		}
	}
}

func TestFinished_CodeWithALongComment_KeepsItsColourInLaterParts(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").text("```go\n/*\n" + strings.Repeat("words\n", 30) + "*/\n```\n")
	got := strings.Join(s.m.Finished(60), "\n")
	if n := strings.Count(got, "\x1b[2mwords"); n != 30 {
		t.Errorf("%d of 30 lines have the colour of a comment: %q", n, got)
	}
}

func TestFinished_ReadFromTheBeginning_ReturnsTheLastThreeTurns(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.m.Replay()
	for i := range 10 {
		s.of(bellcord.TurnID(fmt.Sprint("t", i))).runs(fmt.Sprint("prompt ", i)).text(fmt.Sprint("answer ", i))
		s.ends(bellcord.Receipt{End: bellcord.EndDone})
		expectText(t, "while the log is read, it", s.finished(), "")
	}
	s.m.CaughtUp()
	got := s.finished()
	if !strings.HasPrefix(got, "… 7 earlier turns · ctrl+o shows all\n\n> prompt 7\n") || !strings.Contains(got, "answer 9") || strings.Contains(got, "answer 6") {
		t.Errorf("it is\n%s", got)
	}
	s.of("t10").runs("prompt 10")
	expectText(t, "the next turn", s.finished(), "\n> prompt 10\n")
}

// Only the turns that are printed are laid out. The time is a figure, because a busy machine makes
// it large; the budget is 200 ms.
func TestFinished_SessionOf5000Blocks_PrintsTheLastTurnsOnly(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.m.Replay()
	begun := time.Now()
	for i := range 500 {
		s.of(bellcord.TurnID(fmt.Sprint("t", i))).runs("go")
		for n := range 4 {
			id := fmt.Sprint(i, " ", n)
			s.happens(called(id, "shell", `{"command":"x"}`), bellcord.ToolCallStarted{Call: id}, bellcord.ToolCallEnded{Call: id, Result: "words"})
			s.text("A paragraph.\n\nAnd another.\n\n").happens(bellcord.StepEnded{})
		}
		s.ends(bellcord.Receipt{End: bellcord.EndDone})
	}
	s.m.CaughtUp()
	lines := s.m.Finished(80)
	s.m.Screen(80, 24)
	took := time.Since(begun)
	t.Logf("5,000 blocks were read in %s", took)
	if n := len(lines); n > 100 {
		t.Errorf("%d lines were printed", n)
	}
}
