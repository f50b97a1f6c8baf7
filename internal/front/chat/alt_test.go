package chat_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/front/chat"
)

func TestPress_EscWithAnotherKeyInOneRead_Stops(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"alt+esc", "ctrl+alt+c", "alt+n", "alt+shift+n", "alt+enter", "alt+up", "ctrl+alt+d", "alt+space"} {
		s := newStage(t).runs("go")
		expectActions(t, s.press(key), stopT1)
	}
	s := newStage(t).runs("go")
	expectActions(t, s.press("alt+n"), stopT1)
	s.types("o, wait").has("› no, wait", "■ stopping…")
}

func TestUnknown_EscWithTextThatBeginsASequence_Stops(t *testing.T) {
	t.Parallel()
	for _, bytes := range []string{"\x1bPlease", "\x1bOh", "\x1bX marks"} {
		s := newStage(t).runs("go")
		expectActions(t, s.m.Unknown(bytes, s.now), stopT1)
		s.has("› " + bytes[1:])
	}
	s := newStage(t).runs("go")
	expectActions(t, s.m.Unknown("\x1b]11;rgb:00", s.now))
	expectActions(t, newStage(t).m.Unknown("\x1bPlease", noon))
}

func TestPress_EscTwiceInOneReadWithConfirm_Stops(t *testing.T) {
	t.Parallel()
	s := stageWith(t, chat.Options{Confirm: true}).runs("go")
	expectActions(t, s.press("alt+esc"), stopT1)
}

func TestPress_AltWhileNothingRunsOrInputHasText_Edits(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("one")
	expectActions(t, s.press("alt+enter"))
	s.types("two").has("› one\n  two")
	s = newStage(t).runs("go").types("one two")
	for _, key := range []string{"alt+b", "alt+d"} {
		expectActions(t, s.press(key))
	}
	s.has("› one", "● running")
	expectActions(t, s.press("alt+backspace"))
	expectActions(t, s.press("alt+x"), stopT1)
}

func TestPress_AltOnATerminalThatDistinguishesEsc_DoesNotStop(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go")
	s.m.Distinct()
	expectActions(t, s.press("alt+n"))
	expectActions(t, s.press("esc"), stopT1)
}
