package chat_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

func asked(s *stage, lines int) *stage {
	return s.runs("go").happens(
		called("c1", "write_file", `{"path":"a.txt","content":"`+strings.Repeat(`line\n`, lines)+`"}`),
		bellcord.QuestionOpened{Question: bellcord.Question{ID: "q", Call: "c1", Text: "Write `a.txt`?"}})
}

func TestAnswerLines_MarkedAnswer_IsHighlightedInItsPlace(t *testing.T) {
	t.Parallel()
	s := asked(newStage(t), 1).read().after(time.Second)
	s.has("  y allow once\n  a allow for this session: exactly this call\n  n reject · tab adds a reason\n? waiting")
	s.types("a").has("  y allow once\n› a allow for this session: exactly this call · enter confirms · any other key cancels\n  n reject")
	for _, width := range []int{20, 30, 60} { // the question does not move
		for _, letter := range []string{"y", "a", "n"} {
			s := asked(newStage(t), 1)
			s.screen(width, 40)
			before := strings.Count(s.after(time.Second).screen(width, 40), "\n")
			s.types(letter)
			if got := s.screen(width, 40); strings.Count(got, "\n") != before || !strings.Contains(got, "› "+letter) || strings.Contains(got, "\n  adds a reason") != (width == 20 && letter != "n") {
				t.Errorf("%s, %d columns:\n%s", letter, width, got)
			}
		}
	}
}

func TestAnswerLines_SmallWindow_AreOneLine(t *testing.T) {
	t.Parallel()
	s := asked(newStage(t), 1)
	if got := s.screen(80, 11); !strings.Contains(got, "\ny once · a for this session · n reject — then enter\n") {
		t.Errorf("it is\n%s", got)
	}
	if got := s.screen(80, 12); !strings.Contains(got, "\n  y allow once\n") {
		t.Errorf("it is\n%s", got)
	}
}

func TestAnswerLines_CallOfNoTool_NamesNoCall(t *testing.T) {
	t.Parallel()
	s := withQuestion(newStage(t)) // such as a question about a host
	s.has("  a allow for this session\n")
}

func TestScreen_QuestionAndQueue_KeepsTheAnswersBelowTheQuestion(t *testing.T) {
	t.Parallel()
	s := asked(newStage(t), 60).of("t2").prompted("second").of("t3").prompted("third")
	s.has("  n reject · tab adds a reason\nqueue 2 ", "  1 second\n  2 third\n? waiting")
	for height := 4; height < 24; height++ {
		if got := s.screen(80, height); !strings.Contains(got, "y ") || !strings.Contains(got, "n reject") || !strings.Contains(got, "? waiting") {
			t.Errorf("%d rows:\n%s", height, got)
		}
	}
}

func TestQuestion_Answered_IsOneLineBelowItsCall(t *testing.T) {
	t.Parallel()
	s := asked(newStage(t), 1).happens(bellcord.QuestionAnswered{Question: "q", Choice: "allow", By: "anna"})
	s.has("\n? Write `a.txt`? · answered: allow (anna)\n● running").hasNot("in /work/here")
	s.press("ctrl+t")
	s.has("\n? Write `a.txt`?\n", "  in /work/here\n  answered: allow (anna)\n")
}

func TestScreen_Queue_FollowsThePrintedLinesWithoutAGap(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").of("t2").prompted("later").stopped("t2")
	s.print(80)
	if got := s.live(80, 24); !strings.HasPrefix(got, "held 1: ") {
		t.Errorf("it is\n%s", got)
	}
}
