package slash_test

import (
	"errors"
	"testing"

	"github.com/bellcord/bellcord/internal/front/slash"
)

func TestPrompt_ReservedCommand_IsRefused(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"/stop", "/STOP", "/stop all", "/model x/y", "/mode\nfull", "/clear", "/help"} {
		for _, hosted := range []bool{false, true} {
			var refused *slash.CommandError
			if text, err := slash.Prompt(message, hosted); !errors.As(err, &refused) || text != "" {
				t.Errorf("Prompt(%q, hosted %v): got %q, %v; want a CommandError", message, hosted, text, err)
			}
		}
	}
}

func TestPrompt_UnknownCommand_IsRefusedExceptInHostedSessions(t *testing.T) {
	t.Parallel()
	var unknown *slash.UnknownError
	if _, err := slash.Prompt("/sotp", false); !errors.As(err, &unknown) || unknown.Nearest != "stop" {
		t.Errorf("got %v, want an UnknownError with the nearest command stop", err)
	}
	if text, err := slash.Prompt("/review this", true); err != nil || text != "/review this" {
		t.Errorf("hosted: got %q, %v; want the text as it was", text, err)
	}
}

func TestEscape_AnyText_SurvivesPrompt(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "hello", "/", "/stop", "//stop", "///", " /stop", "/etc/hosts is wrong", "/deploy now", "\n/stop"} {
		if got, err := slash.Prompt(slash.Escape(text), false); err != nil || got != text {
			t.Errorf("%q came back as %q, %v", text, got, err)
		}
	}
}
