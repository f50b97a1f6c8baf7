package chat_test

import (
	"errors"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

func TestPress_UpAndDown_ShowEarlierPromptsAndTheDraft(t *testing.T) {
	t.Parallel()
	s := stageWith(t, chat.Options{Earlier: []string{"of yesterday", "/status"}}).types("half a thought")
	s.press("up")
	s.has("› /status")
	s.press("esc") // closes the menu of commands
	s.press("up")
	s.has("› of yesterday")
	s.press("up")
	s.has("› of yesterday")
	s.press("down")
	s.press("esc")
	s.press("down")
	s.has("› half a thought")
	s.press("down")
	s.has("› half a thought")
}

func TestPress_UpInTextOfSeveralLines_MovesTheCursorFirst(t *testing.T) {
	t.Parallel()
	s := stageWith(t, chat.Options{Earlier: []string{"of yesterday"}})
	s.m.Paste("first line\nsecond")
	s.press("up")
	s.types("!").has("› first !line")
	s.press("down")
	s.types("?").has("  second?")
	s.press("up")
	s.press("up")
	s.has("› of yesterday")
}

func TestEnter_Prompt_IsKeptUnlessItBeginsWithASpace(t *testing.T) {
	t.Parallel()
	s := stageWith(t, chat.Options{Keep: true})
	actions := s.enters("explain it")
	if len(actions) != 2 || actions[1] != (chat.Remember{Text: "explain it"}) {
		t.Errorf("actions %#v, want the prompt and then that it is kept", actions)
	}
	if actions := s.enters(" with a secret"); len(actions) != 1 {
		t.Errorf("actions %#v, want the prompt only", actions)
	}
	s.press("up")
	s.has("› explain it")
}

func TestCtrlC_TextInTheInput_IsKeptAndCanBeShownAgain(t *testing.T) {
	t.Parallel()
	s := stageWith(t, chat.Options{Keep: true}).types("not yet")
	expectActions(t, s.press("ctrl+c"), chat.Remember{Text: "not yet"})
	s.press("up")
	s.has("› not yet")
}

func TestCtrlR_WordsOfAnEarlierPrompt_FindsTheNewestThenOlderOnes(t *testing.T) {
	t.Parallel()
	s := stageWith(t, chat.Options{Earlier: []string{"fix the Cart", "fix the page", "write notes"}})
	s.press("ctrl+r")
	s.types("fix").has("search: fix", "› fix the page")
	s.press("ctrl+r")
	s.has("› fix the Cart")
	s.press("ctrl+r")
	s.has("› fix the Cart")
	s.press("backspace")
	s.types("x the c").has("› fix the Cart")
	s.types("q").has("nothing found")
	s.press("backspace")
	expectActions(t, s.press("enter")) // takes it, and does not send it
	s.has("› fix the Cart")
	s.hasNot("search:")
	s.types("!").has("› fix the Cart!")
}

func TestEsc_SearchOpenWhileATurnRuns_ClosesItAndCtrlCStops(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").types("draft")
	s.press("ctrl+r")
	s.has("ctrl+c stops")
	expectActions(t, s.press("esc"))
	s.has("› draft", "esc stops")
	s.press("ctrl+r")
	expectActions(t, s.press("ctrl+c"), stopT1)
}

func TestCtrlG_TextInTheInput_IsEditedInTheEditor(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("half")
	expectActions(t, s.press("ctrl+g"), chat.EditInput{Text: "half"})
	s.m.Edited("half a page\nof text", nil)
	s.has("› half a page", "  of text")
	s.m.Edited("", errors.New("exit status 1"))
	s.has("the editor failed, the input is unchanged: exit status 1", "› half a page")
}

func TestMenu_SlashTyped_OffersTheCommandsThatMatch(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("/mo")
	s.has("›/model", "/mode", "tab completes")
	s.hasNot("/sessions")
	s.press("down")
	s.press("tab")
	s.has("› /mode")
	s.hasNot("tab completes")
	expectActions(t, s.enters("full"), chat.Change{Session: "s", To: bellcord.SessionUpdated{Mode: "full"}})
}

func TestMenu_Enter_RunsTheSelectedCommand(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	expectActions(t, s.types("/ses").press("enter"), chat.ShowList{At: chat.AtSessions})
}

func TestMenu_Esc_ClosesItUntilTheInputChanges(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").types("/s")
	s.has("/status", "ctrl+c stops")
	expectActions(t, s.press("esc"))
	s.hasNot("/status")
	s.types("t").has("/status")
	s.press("esc")
	expectActions(t, s.press("esc"), stopT1)
}

func TestMenu_TextThatIsNotACommand_OffersNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a/b", "/mode x", "//text", "/etc/hosts", " /mode"} {
		newStage(t).types(text).hasNot("tab completes")
	}
}
