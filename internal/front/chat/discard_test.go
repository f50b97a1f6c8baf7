package chat_test

import (
	"errors"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

// discards presses d and applies the end of the discarded turn.
func (s *stage) discards(turn bellcord.TurnID) *stage {
	s.t.Helper()
	expectActions(s.t, s.press("d"), stopOf(turn))
	return s.of(turn).ends(bellcord.Receipt{End: bellcord.EndStopped, Prompt: "it"})
}

func TestDiscard_OneOfSeveral_SelectsTheNextAndOffersUndo(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").of("t2").prompted("second").of("t3").prompted("third").of("t4").prompted("fourth")
	s.press("tab")
	s.press("up")
	s.discards("t3").has("› 2 fourth\n", "discarded: third", "u undoes\n", "ctrl+c")
	s.discards("t4").has("› 1 second\n", "discarded: fourth")
	s.discards("t2").has("discarded: second", "u undoes · tab leaves\n").hasNot("queue 1")
	s.press("tab")
	s.hasNot("discarded")
	expectActions(t, s.press("esc"), stopT1)
}

func TestDiscard_U_QueuesTheSamePromptAgain(t *testing.T) {
	t.Parallel()
	prompt := bellcord.Prompt{
		Text: "!make", Task: bellcord.TaskCommand, Images: []bellcord.Image{{Type: "image/png", Data: []byte("i")}},
		Files: []bellcord.File{{Name: "a.txt", Text: "a"}}, Links: []bellcord.Link{{URI: "file:///b"}}, Blocks: []bellcord.Block{{}},
	}
	s := newStage(t).runs("go").of("t2").happens(bellcord.TurnAccepted{Prompt: prompt})
	s.press("tab")
	s.discards("t2")
	sent := s.press("u")[0].(chat.Prompt)
	if sent.Turn == "t2" || sent.Turn == "" {
		t.Errorf("its turn is %q", sent.Turn)
	}
	expectActions(t, []chat.Action{sent}, chat.Prompt{
		Session: s.m.Session(), Turn: sent.Turn, Task: prompt.Task,
		Text: prompt.Text, Images: prompt.Images, Files: prompt.Files, Links: prompt.Links, Blocks: prompt.Blocks,
	})
	s.of(sent.Turn).happens(bellcord.TurnAccepted{Prompt: prompt}).has("queue 1 · !make").hasNot("discarded")
	s.press("tab")
	expectActions(t, s.press("u"))
	s.has("no prompt was discarded")
}

func TestDiscard_UWhileNothingRuns_PutsThePromptIntoTheInput(t *testing.T) {
	t.Parallel()
	for want, prompt := range map[string]bellcord.Prompt{
		"› run the tests\n":         {Text: "run the tests", Images: []bellcord.Image{{Type: "image/png", Data: []byte("i")}}},
		"› //stop it\n":             {Text: "/stop it"},
		"›  !not a command\n":       {Text: "!not a command"},
		"› !make\n":                 {Text: "!make", Task: bellcord.TaskCommand},
		"› /compact keep the API\n": {Text: "keep the API", Task: bellcord.TaskCompact},
		"  a.txt:\n":                {Text: "see", Files: []bellcord.File{{Name: "a.txt", Text: "a"}}},
	} {
		s := newStage(t).runs("go").of("t2").happens(bellcord.TurnAccepted{Prompt: prompt}).stopped("t2")
		s.press("tab")
		expectActions(t, s.discards("t2").press("u"))
		s.has(want, "the prompt is in the input")
		if len(prompt.Images) > 0 {
			s.has("image 1: ")
		}
		if s.m.Busy() {
			t.Errorf("%q runs", prompt.Text)
		}
	}
}

func TestDiscard_AnyOtherKey_LeavesTheQueue(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").of("t2").prompted("second")
	s.press("tab")
	s.discards("t2").types("x").hasNot("discarded").has("› x")
	expectActions(t, s.press("esc"), stopT1)

	s = newStage(t).runs("go").of("t2").prompted("second")
	s.press("tab")
	s.types("x").has("queue 1 · second", "› x") // the selection is gone
	expectActions(t, s.press("esc"), stopT1)
}

func TestDiscard_StopNotDelivered_OffersNoUndo(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").of("t2").prompted("second")
	s.press("tab")
	stop := s.press("d")[0]
	s.m.Apply(chat.Report{Of: stop, Err: errors.New("no route")})
	s.has("stop not delivered", "queue 1 · second").hasNot("discarded")
}
