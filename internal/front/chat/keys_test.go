package chat_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

func expectActions(t *testing.T, got []chat.Action, want ...chat.Action) {
	t.Helper()
	if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("did %#v, want %#v", got, want)
	}
}

var stopT1 = chat.Stop{Turn: "t1", Mode: bellcord.StopNow}

func TestPress_Esc_StopsAndShowsItBeforeTheLog(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go")
	expectActions(t, s.press("esc"), stopT1)
	s.has("■ stopping…")
	expectActions(t, s.press("esc")) // already stopping
	s.happens(called("c", "shell", `{"command":"npm test"}`), bellcord.ToolCallStarted{Call: "c"}).after(2100 * time.Millisecond)
	s.has("■ stopping… waiting for npm test, 6 s at most    ", "   ctrl+c forces\n").after(6 * time.Second)
	s.has("■ stopping… waiting for npm test    ", "   ctrl+c forces\n")
	s.ends(bellcord.Receipt{End: bellcord.EndStopped, Cause: person("me", "here"), Kept: bellcord.Kept{TextBytes: 1}}).has("■ stopped after 8.1 s · kept: text", "○ ready")
}

func TestPress_EscWithConfirm_StopsAtTheSecondPress(t *testing.T) {
	t.Parallel()
	s := stageWith(t, chat.Options{Confirm: true}).runs("go")
	expectActions(t, s.press("esc"))
	s.has("press esc again to stop").after(2100 * time.Millisecond)
	expectActions(t, s.press("esc")) // too late: counts as the first one
	s.after(time.Second)
	expectActions(t, s.press("esc"), stopT1)
}

func TestPress_EscWhileNothingRuns_KeepsTheInput(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("words")
	expectActions(t, s.press("esc"))
	s.has("› words")
}

func TestPress_CtrlCRepeated_StopsThenForcesAndNeverLeaves(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go")
	expectActions(t, s.press("ctrl+c"), stopT1)
	s.after(time.Second)
	expectActions(t, s.press("ctrl+c"), chat.Stop{Turn: "t1", Mode: bellcord.StopForce})
	s.has("■ stopping now…")
	for range 3 {
		expectActions(t, s.press("ctrl+c"))
	}
	s.has("/quit exits")
}

func TestPress_CtrlCWithin300msOfTheFirstStopKey_DoesNotForce(t *testing.T) {
	t.Parallel()
	force := chat.Stop{Turn: "t1", Mode: bellcord.StopForce}
	for _, first := range []string{"ctrl+c", "esc"} {
		s := newStage(t).runs("go")
		expectActions(t, s.press(first), stopT1)
		expectActions(t, s.press("ctrl+c"))
		s.after(299 * time.Millisecond)
		expectActions(t, s.press("ctrl+c"))
		s.after(time.Millisecond)
		expectActions(t, s.press("ctrl+c"), force)

		s = newStage(t).runs("go") // after any pause
		expectActions(t, s.press(first), stopT1)
		s.after(time.Minute)
		expectActions(t, s.press("ctrl+c"), force)
	}
}

func TestPress_CtrlCWhileAnotherPersonStops_DoesNotForceAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").happens(bellcord.StopRequested{})
	expectActions(t, s.press("ctrl+c"))
	s.after(300 * time.Millisecond)
	expectActions(t, s.press("ctrl+c"), chat.Stop{Turn: "t1", Mode: bellcord.StopForce})
}

func TestPress_CtrlCRightAfterTheEndOfATurn_DoesNotLeave(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go")
	expectActions(t, s.press("ctrl+c"), stopT1)
	s.ends(bellcord.Receipt{End: bellcord.EndStopped})
	for range 5 { // meant for the turn
		expectActions(t, s.press("ctrl+c"))
		s.after(190 * time.Millisecond)
	}
	s.after(50 * time.Millisecond)
	expectActions(t, s.press("ctrl+c"))
	s.has("press ctrl+c again to exit").after(2100 * time.Millisecond)
	expectActions(t, s.press("ctrl+c")) // too late: counts as the first one
	s.after(2 * time.Second)
	expectActions(t, s.press("ctrl+c"), chat.Leave{})
}

func TestPress_CtrlD_LeavesOnlyWithAnEmptyInputAndNothingRunning(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.types("words")
	expectActions(t, s.press("ctrl+d"))
	s.press("ctrl+c")
	expectActions(t, s.press("ctrl+d"), chat.Leave{})
	s.runs("go")
	expectActions(t, s.press("ctrl+d"))
	s.has("a turn is running")
}

func TestPress_CtrlCWhileNothingRuns_ClearsTheInputThenLeaves(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("words")
	expectActions(t, s.press("ctrl+c"))
	s.has("cleared; up shows it again")
	if contains(s.screen(60, 10), "words") {
		t.Error("the input is still there")
	}
	expectActions(t, s.press("ctrl+c")) // the one before cleared text, so it does not count
	s.has("press ctrl+c again to exit")
	s.after(3 * time.Second)
	expectActions(t, s.press("ctrl+c"))
	s.after(time.Second)
	expectActions(t, s.press("ctrl+c"), chat.Leave{})
}

func TestPress_EscWhileAPromptIsSent_StopsIt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.enters("hello")[0].(chat.Prompt)
	s.has("sending…")
	expectActions(t, s.press("esc"), chat.Stop{Turn: p.Turn, Mode: bellcord.StopNow})
	s.has("■ stopping…")
	s.of(p.Turn).prompted("hello").has("■ stopping…").happens(bellcord.TurnStarted{}).has("■ stopping…")
}

func TestPress_EscAfterAFailedStop_StopsAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go")
	expectActions(t, s.press("esc"), stopT1)
	s.m.Apply(chat.Report{Of: stopT1, Err: errors.New("no route")})
	s.has("stop not delivered: no route", "● running")
	expectActions(t, s.press("esc"), stopT1)
}

func TestHear_PromptNotAccepted_RestoresTheInput(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.enters("hello")[0]
	s.m.Apply(chat.Report{Of: p, Err: errors.New("no route")})
	s.has("prompt not accepted: no route", "› hello")
}

func TestTake_DoneTurnThatEndedProcesses_ShowsThemAfterTheTurn(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").happens(bellcord.TurnEnded{Receipt: bellcord.Receipt{
		Turn: "t1", End: bellcord.EndDone, Processes: bellcord.Processes{Ended: []bellcord.Process{{PID: 1}, {PID: 2}, {PID: 3}}, Proof: "cgroup_empty"},
	}})
	s.has("● done", "3 processes ended (cgroup empty)")
}

func withQuestion(s *stage) *stage {
	return s.runs("go").happens(bellcord.QuestionOpened{Question: bellcord.Question{ID: "q", Text: "Run `x`?", Choices: []bellcord.Choice{
		{ID: "allow", Kind: "allow_once"}, {ID: "allow_session", Kind: "allow_always"}, {ID: "allow_always", Kind: "allow_always"}, {ID: "reject", Kind: "reject_once"},
	}}})
}

// read shows a question until it can be answered.
func (s *stage) read() *stage { return s.draw().after(700 * time.Millisecond).draw() }

func TestPress_LetterThenEnter_AnswersASettledQuestion(t *testing.T) {
	t.Parallel()
	for letter, choice := range map[string]string{"y": "allow", "a": "allow_session", "n": "reject"} {
		s := withQuestion(newStage(t)).read()
		expectActions(t, s.press(letter)) // a key without text marks nothing
		s.after(time.Second)
		expectActions(t, s.m.Press(letter, letter, s.now))
		s.has("enter confirms")
		expectActions(t, s.press("enter"), chat.Answer{Turn: "t1", Question: "q", Reply: bellcord.Reply{Choice: choice}})
		s.after(time.Second).types(letter)
		expectActions(t, s.press("enter")) // an answer is being sent
	}
}

func TestPress_TabAfterN_AddsAReason(t *testing.T) {
	t.Parallel()
	s := withQuestion(newStage(t)).read()
	s.after(time.Second).types("n").has("› n reject · enter confirms · tab adds a reason · any other key cancels")
	expectActions(t, s.press("tab"))
	s.has("› why? The reason goes to the agent · enter rejects · esc stops the turn")
	s.types("not on /main")
	expectActions(t, s.m.Paste(", please"))
	expectActions(t, s.press("enter"), chat.Answer{Turn: "t1", Question: "q", Reply: bellcord.Reply{Choice: "reject", Reason: "not on /main, please"}})

	s = withQuestion(newStage(t)).read()
	s.after(time.Second).types("y").hasNot("confirms · tab adds")
	s.press("tab")
	s.hasNot("why?")

	s = withQuestion(newStage(t)).read()
	s.after(time.Second).types("n").press("tab")
	s.types("no").happens(bellcord.QuestionAnswered{Question: "q", Choice: "allow"})
	s.hasNot("why?").has("› no") // it was answered elsewhere, and the text stays
}

// The key "a" must not select a permanent grant of a hosted agent while the screen shows "for this
// session".
func TestPress_QuestionOfAHostedAgent_ShowsTheAgentsOwnWords(t *testing.T) {
	t.Parallel()
	once, always, no := bellcord.Choice{ID: "1", Text: "Yes", Kind: "allow_once"}, bellcord.Choice{ID: "2", Text: "Always allow", Kind: "allow_always"}, bellcord.Choice{ID: "3", Text: "No", Kind: "reject_once"}
	hosted := func(choices ...bellcord.Choice) *stage {
		s := newStage(t).runs("go").happens(bellcord.QuestionOpened{Question: bellcord.Question{ID: "q", Text: "Run `x`?", Choices: choices}}).read()
		s.hasNot("for this session")
		return s.after(time.Second)
	}
	s := hosted(once, always, no)
	s.has("  y allow once\n  a allow “Always allow”\n  n reject · tab adds a reason\n")
	expectActions(t, s.m.Press("a", "a", s.now))
	s.has("› a allow “Always allow” · enter confirms")
	expectActions(t, s.press("enter"), chat.Answer{Turn: "t1", Question: "q", Reply: bellcord.Reply{Choice: "2"}})

	s = hosted(once, no)
	s.has("  y allow once\n  n reject · tab adds a reason\n")
	expectActions(t, s.m.Press("a", "a", s.now))
	s.hasNot("enter confirms") // it is text
	s.has("› a")
}

func TestPress_WhileAQuestionAppears_ApprovesNothing(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for name, types := range map[string]func(s *stage) []chat.Action{
		"a at 20 ms, a pause, Enter": func(s *stage) []chat.Action {
			s.after(20 * ms).draw().types("a").after(500 * ms).draw()
			return s.press("enter")
		},
		"y and Enter at 0 ms": func(s *stage) []chat.Action { return s.enters("y") },
		"y 0.7 s after it began to appear, and not whole": func(s *stage) []chat.Action {
			s.m.Screen(100, 2)
			s.after(700 * ms)
			return s.enters("y")
		},
		"y 0.6 s after another key": func(s *stage) []chat.Action {
			s.after(200 * ms).press("left")
			s.after(600 * ms).draw()
			return s.enters("y")
		},
		"y with text in the input": func(s *stage) []chat.Action {
			s.types("add ").after(time.Second).draw()
			return s.enters("y")
		},
		"y that is held down": func(s *stage) []chat.Action {
			s.after(time.Second).draw()
			return s.enters("yyy")
		},
		"yes, but": func(s *stage) []chat.Action {
			s.after(time.Second).draw()
			return s.enters("yes, but")
		},
		"a paste": func(s *stage) []chat.Action {
			s.after(time.Second).draw()
			s.m.Paste("y")
			return s.press("enter")
		},
	} {
		s := withQuestion(newStage(t)).draw()
		for _, action := range types(s) {
			if _, is := action.(chat.Answer); is {
				t.Errorf("%s: did %#v", name, action)
			}
		}
		if s.has("waiting for you"); !contains(s.screen(100, 30), "Run `x`?") {
			t.Errorf("%s: the question is gone", name)
		}
	}
}

func TestPress_NextQuestion_MustSettleBeforeItIsAnswered(t *testing.T) {
	t.Parallel()
	s := withQuestion(newStage(t)).happens(bellcord.QuestionOpened{Question: bellcord.Question{ID: "q2", Text: "Run `y`?"}}).read().types("y")
	expectActions(t, s.press("enter"), chat.Answer{Turn: "t1", Question: "q", Reply: bellcord.Reply{Choice: "allow"}})
	s.after(time.Second).happens(bellcord.QuestionAnswered{Question: "q", Choice: "allow"}).draw().types("y")
	if actions := s.press("enter"); len(actions) == 1 {
		if _, is := actions[0].(chat.Answer); is {
			t.Errorf("the second question was answered as it appeared")
		}
	}
}

func TestScreen_QuestionDoesNotFit_MustBeScrolledBeforeItIsAnswered(t *testing.T) {
	t.Parallel()
	content := ""
	for i := range 60 {
		content += "line" + string(rune('A'+i%26)) + "\\n"
	}
	s := newStage(t).runs("go").happens(
		called("c1", "write_file", `{"path":"a.txt","content":"first\n`+content+`last"}`),
		bellcord.QuestionOpened{Question: bellcord.Question{ID: "q", Call: "c1", Text: "Write `a.txt`?"}})
	got := s.screen(60, 20)
	for _, want := range []string{"+ first", "lines 1–", "y allow once", "waiting for you"} {
		if !contains(got, want) {
			t.Errorf("%q is not on the screen:\n%s", want, got)
		}
	}
	s.after(time.Second)
	s.screen(60, 20)
	s.types("y")
	expectActions(t, s.press("backspace")) // the letter was inserted as text
	for range 10 {
		s.after(time.Second).press("pgdown")
		got = s.screen(60, 20)
	}
	if !contains(got, "+ last") || !contains(got, "y allow once") {
		t.Errorf("the end is\n%s", got)
	}
	s.after(time.Second)
	s.screen(60, 20)
	s.types("y")
	expectActions(t, s.press("enter"), chat.Answer{Turn: "t1", Question: "q", Reply: bellcord.Reply{Choice: "allow"}})
}

func TestScreen_Question_ShowsTheWholeCall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		call bellcord.ToolCallRequested
		text string
		want []string
	}{
		"a command of several lines": {called("c", "shell", `{"command":"cd x\nrm -rf build","timeout":"5m"}`), "Run it?", []string{"command:", "cd x", "rm -rf build", "timeout: 5m"}},
		"an edit":                    {called("c", "edit_file", `{"path":"a.go","old":"x := 1\n","new":"x := 2\ny := 3"}`), "Edit `a.go`?", []string{"- x := 1", "+ x := 2", "+ y := 3"}},
		"a tool of somebody else's":  {called("c", "mcp_do", `{"who":{"name":"anna"},"n":3}`), "Call mcp_do?", []string{"n: 3", `who: {"name":"anna"}`}},
	} {
		s := newStage(t).runs("go").happens(c.call, bellcord.QuestionOpened{Question: bellcord.Question{ID: "q", Call: "c", Text: c.text}})
		t.Log(name)
		s.has(c.want...).has("in /work/here")
	}
}

func TestPress_EscWhileAQuestionIsOpen_WithdrawsIt(t *testing.T) {
	t.Parallel()
	s := withQuestion(newStage(t)).read()
	expectActions(t, s.press("esc"), stopT1)
	s.after(time.Second).types("y")
	if len(s.press("enter")) != 1 { // a queued prompt
		t.Error("the letter was taken for an answer")
	}
	s.ends(bellcord.Receipt{End: bellcord.EndStopped, WithdrawnQuestions: []string{"q"}}).has("withdrawn without an answer")
}
