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

func wants(t *testing.T, got []chat.Action, want ...chat.Action) {
	t.Helper()
	if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("did %#v, want %#v", got, want)
	}
}

var stopT1 = chat.Stop{Turn: "t1", Mode: bellcord.Now}

func TestEscStopsAtOncePressAndSaysSoBeforeTheLogDoes(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go")
	wants(t, s.press("esc"), stopT1)
	s.has("■ stopping…")
	wants(t, s.press("esc")) // it is under way
	s.happens(called("c", "shell", `{"command":"npm test"}`), bellcord.CallStarted{Call: "c"}).after(2100 * time.Millisecond)
	s.has("waiting for shell npm test, 6 s more at most — ctrl+c forces").after(6 * time.Second)
	s.has("waiting for shell npm test — ctrl+c forces")
	s.ends(bellcord.Receipt{End: bellcord.Stopped, Cause: person("me", "here"), Kept: bellcord.Kept{Text: 1}}).has("■ stopped 0:08 · kept: text")
}

func TestEscAsksTwiceWhereThatIsWanted(t *testing.T) {
	t.Parallel()
	s := stageWith(t, chat.Options{Confirm: true}).runs("go")
	wants(t, s.press("esc"))
	s.has("esc again stops").after(2100 * time.Millisecond)
	wants(t, s.press("esc")) // too late: it is a first one
	s.after(time.Second)
	wants(t, s.press("esc"), stopT1)
}

func TestEscClearsTheInputWhenNothingRuns(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("words").has("› words")
	wants(t, s.press("esc"))
	if contains(s.screen(60, 10), "words") {
		t.Error("they are still there")
	}
}

func TestCtrlCStopsThenForcesThenLeaves(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go")
	wants(t, s.press("ctrl+c"), stopT1)
	s.after(time.Second)
	wants(t, s.press("ctrl+c"), chat.Stop{Turn: "t1", Mode: bellcord.Force})
	s.has("■ stopping now…")
	wants(t, s.press("ctrl+c"), chat.Leave{})
}

func TestCtrlCThatComesLaterIsAFirstOne(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go")
	wants(t, s.press("ctrl+c"), stopT1)
	s.after(2100 * time.Millisecond)
	wants(t, s.press("ctrl+c")) // a stop is under way
	s.after(time.Second)
	wants(t, s.press("ctrl+c"), chat.Stop{Turn: "t1", Mode: bellcord.Force})
}

func TestCtrlCClearsThenLeavesWhenNothingRuns(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("words")
	wants(t, s.press("ctrl+c"))
	s.has("ctrl+c again exits")
	if contains(s.screen(60, 10), "words") {
		t.Error("the input is still there")
	}
	s.after(3 * time.Second)
	wants(t, s.press("ctrl+c"))
	s.after(time.Second)
	wants(t, s.press("ctrl+c"), chat.Leave{})
}

func TestAPromptCanBeStoppedBeforeTheLogHasIt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.enters("hello")[0].(chat.Prompt)
	s.has("sending…")
	wants(t, s.press("esc"), chat.Stop{Turn: p.Turn, Mode: bellcord.Now})
	s.has("■ stopping…")
	s.of(p.Turn).prompted("hello").has("■ stopping…").happens(bellcord.Started{}).has("■ stopping…")
}

func TestAStopThatDidNotArriveCanBePressedAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go")
	wants(t, s.press("esc"), stopT1)
	s.m.Hear(chat.Report{Of: stopT1, Err: errors.New("no route")})
	s.has("the stop did not arrive: no route", "● running")
	wants(t, s.press("esc"), stopT1)
}

func TestAPromptThatWasNotTakenComesBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.enters("hello")[0]
	s.m.Hear(chat.Report{Of: p, Err: errors.New("no route")})
	s.has("the prompt was not taken: no route", "› hello")
}

func asked(s *stage) *stage {
	return s.runs("go").happens(bellcord.Asked{Question: bellcord.Question{ID: "q", Text: "Run `x`?", Choices: []bellcord.Choice{
		{ID: "allow", Kind: "allow_once"}, {ID: "allow_session", Kind: "allow_always"}, {ID: "allow_always", Kind: "allow_always"}, {ID: "reject", Kind: "reject_once"},
	}}})
}

func TestALetterThatNothingFollowsIsAnAnswer(t *testing.T) {
	t.Parallel()
	for letter, choice := range map[string]string{"y": "allow", "a": "allow_session", "n": "reject"} {
		s := asked(newStage(t)).types(letter)
		wants(t, s.tick())
		s.after(300 * time.Millisecond)
		wants(t, s.tick(), chat.Answer{Turn: "t1", Question: "q", Choice: choice})
		s.types(letter).after(time.Second)
		wants(t, s.tick()) // one answer is on its way
		s = asked(newStage(t)).types(letter)
		s.press("enter")
		wants(t, s.tick(), chat.Answer{Turn: "t1", Question: "q", Choice: choice})
	}
}

func TestWhoWritesYesButHasAllowedNothing(t *testing.T) {
	t.Parallel()
	s := asked(newStage(t)).types("yes, but").after(time.Second)
	wants(t, s.tick())
	s.has("› yes, but", "waiting for you")
}

func TestAStopClosesTheQuestion(t *testing.T) {
	t.Parallel()
	s := asked(newStage(t))
	wants(t, s.press("esc"), stopT1)
	s.types("y").after(time.Second)
	wants(t, s.tick())
	s.ends(bellcord.Receipt{End: bellcord.Stopped, Questions: []string{"q"}}).has("closed without an answer")
}
