package chat_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

const ms = time.Millisecond

// A lone "y" is "yes, continue" to a model.
func TestPress_AnswerThatIsNotAcceptedYet_IsNeverSent(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"y", "a", "n", "Y", " y ", "yes", "No", "always", "ok", "yyy", "n."} {
		for name, begin := range map[string]func(s *stage) *stage{
			"0.25 s after the question":   func(s *stage) *stage { return withQuestion(s).draw().after(250 * ms) },
			"at once":                     withQuestion,
			"a question that is too long": func(s *stage) *stage { return asked(s, 60).draw().after(time.Second).draw() },
			"while the answer is sent": func(s *stage) *stage {
				s = withQuestion(s).read().types("y")
				s.press("enter")
				return s
			},
			"the question before an undo": asksUndo,
		} {
			s := begin(newStage(t))
			for _, r := range text {
				s.types(string(r)).after(20 * ms).draw()
			}
			for range 2 {
				expectNoPrompt(t, name+": "+text, s.after(250*ms).draw().press("enter"))
			}
		}
	}
}

func expectNoPrompt(t *testing.T, name string, actions []chat.Action) {
	t.Helper()
	for _, a := range actions {
		switch a.(type) {
		case chat.Prompt, chat.Edit:
			t.Errorf("%s: did %#v", name, a)
		}
	}
}

// asksUndo shows the question before an undo.
func asksUndo(s *stage) *stage {
	s.runs("go").ends(bellcord.Receipt{End: bellcord.EndDone})
	s.m.Apply(chat.Report{Of: chat.PreviewUndo{Session: "s"}, Preview: &chat.Preview{
		Request: bellcord.UndoRequest{ID: "u", Session: "s"}, Undone: bellcord.Undone{UndoResult: bellcord.UndoResult{Restored: 1}},
	}})
	return s
}

func TestPress_AnswerInAQueuedPrompt_IsNotSentWhileAQuestionIsOpen(t *testing.T) {
	t.Parallel()
	s := withQuestion(newStage(t)).of("t2").prompted("later").read()
	s.press("tab")
	s.press("enter") // edits the queued prompt
	s.press("ctrl+u")
	expectNoPrompt(t, "edited", s.enters("yes"))
	s = withQuestion(newStage(t)).of("t2").prompted("later").read()
	expectNoPrompt(t, "command", s.enters("/edit 1 y"))
}

// The question is answered elsewhere between the letter and Enter.
func TestPress_AnswerTypedForAQuestionThatClosed_IsNotSent(t *testing.T) {
	t.Parallel()
	s := withQuestion(newStage(t)).draw().types("y")
	s.happens(bellcord.QuestionAnswered{Question: "q", Choice: "allow"}).after(time.Second)
	expectNoPrompt(t, "closed", s.press("enter"))
	s.has("the question is closed")
	s.after(time.Second)
	if len(s.enters("y")) != 1 {
		t.Error("a later y was not sent")
	}
}

func TestPress_LongerTextWhileAQuestionIsOpen_IsQueued(t *testing.T) {
	t.Parallel()
	s := withQuestion(newStage(t)).draw()
	actions := s.enters("yes, but use tabs")
	if len(actions) != 1 || actions[0].(chat.Prompt).Text != "yes, but use tabs" {
		t.Errorf("did %#v", actions)
	}
}

func TestStatus_AnswerIsNotAcceptedYet_SaysWhy(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 60, 100} {
		s := withQuestion(newStage(t))
		s.screen(width, 20)
		s.after(250*ms).shown(width, "not yet: 0.5 s")
		s.types("y")
		s.shown(width, "not yet: 0.7 s")
		s.press("enter")
		s.shown(width, "not yet: 0.7 s")
		s.after(800*ms).shown(width, "y, a or n, then enter")

		s = asked(newStage(t), 60)
		s.screen(width, 20)
		s.after(time.Second).shown(width, "read all first: end")
		s.types("y").press("enter")
		s.shown(width, "read all first: end")
	}
}

// shown checks that a narrow screen contains the words.
func (s *stage) shown(width int, words string) {
	s.t.Helper()
	if got := s.screen(width, 20); !strings.Contains(got, words) {
		s.t.Errorf("%d columns: %q is not on the screen:\n%s", width, words, got)
	}
}

func TestPress_NOnALongQuestion_RejectsAtOnce(t *testing.T) {
	t.Parallel()
	s := asked(newStage(t), 60)
	s.screen(80, 24)
	s.after(time.Second).types("n")
	expectActions(t, s.press("enter"), chat.Answer{Turn: "t1", Question: "q", Reply: bellcord.Reply{Choice: "reject"}})

	s = asked(newStage(t), 60)
	s.screen(80, 24)
	s.after(600 * ms).types("n") // too early
	expectActions(t, s.press("enter"))
}

func TestPress_EndOrG_ReadsAllOfALongQuestion(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"end", "G"} {
		s := asked(newStage(t), 60)
		s.screen(80, 24)
		s.after(time.Second)
		expectActions(t, s.m.Press(key, map[string]string{"G": "G"}[key], s.now))
		if got := s.screen(80, 24); !strings.Contains(got, "of 63 · up") || !strings.Contains(got, "not yet: 0.7 s") || strings.Contains(got, "› G") {
			t.Errorf("%s:\n%s", key, got)
		}
		s.types("y")
		expectActions(t, s.press("enter")) // it has just been shown
		s.after(time.Second)
		s.screen(80, 24)
		s.types("y")
		expectActions(t, s.press("enter"), chat.Answer{Turn: "t1", Question: "q", Reply: bellcord.Reply{Choice: "allow"}})
	}
}

func TestPress_TextThatBeginsWithG_IsKept(t *testing.T) {
	t.Parallel()
	s := asked(newStage(t), 60)
	s.screen(80, 24)
	s.after(time.Second).types("Go on")
	if got := s.screen(80, 24); !strings.Contains(got, "› Go on") {
		t.Errorf("it is\n%s", got)
	}
	withQuestion(newStage(t)).read().types("G").has("› G") // nothing to scroll
}

func TestScreen_LongQuestion_UsesTheRowsOfTheWindow(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ width, height, lines int }{{100, 60, 50}, {80, 24, 15}, {40, 20, 10}} {
		s := asked(newStage(t), 240)
		s.print(size.width)
		got := s.screen(size.width, size.height)
		if !s.m.Screen(size.width, size.height).Alternate {
			t.Errorf("%dx%d would be left in the scrollback by a resize", size.width, size.height)
		}
		if n := strings.Count(got, "+ line\n"); n < size.lines || strings.Count(got, "\n") != size.height || !strings.Contains(got, "n reject") || !strings.Contains(got, "of 243 · end reads all") {
			t.Errorf("%dx%d has %d lines of the file:\n%s", size.width, size.height, n, got)
		}
	}
}

func TestScreen_ShortQuestion_StaysBelowTheConversation(t *testing.T) {
	t.Parallel()
	s := asked(newStage(t), 5)
	s.print(80)
	if got := s.m.Screen(80, 24); got.Alternate || len(got.Lines) > 16 {
		t.Errorf("it covers the window: %q", got.Lines)
	}
}

// A long question that was answered long ago must not cover the window.
func TestScreen_LongQuestionWhileTheLogIsRead_DoesNotCoverTheWindow(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.m.Replay()
	asked(s, 240)
	if s.m.Screen(80, 24).Alternate {
		t.Error("it covers the window")
	}
}
