package chat_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

// drawn returns the lines of an answer with their styles.
func drawn(t *testing.T, text string, width int) string {
	t.Helper()
	s := newStage(t).runs("go").happens(bellcord.TextDelta{Text: text + "\n\nafter it\n"})
	return strings.Join(s.window(width, 40), "\n")
}

func TestCode_KnownLanguage_IsColoured(t *testing.T) {
	t.Parallel()
	got := drawn(t, "```go\nreturn \"a\" // b\n```", 60)
	want := "  \x1b[35mreturn\x1b[0m \x1b[32m\"a\"\x1b[0m \x1b[2m// b\x1b[0m"
	if !strings.Contains(got, want) {
		t.Errorf("the screen is %q, want %q in it", got, want)
	}
}

func TestCode_LongColouredLine_KeepsItsColourAfterTheBreak(t *testing.T) {
	t.Parallel()
	got := drawn(t, "```go\n// 0123456789\n```", 10)
	for _, want := range []string{"  \x1b[2m// 01234\x1b[0m", "  \x1b[2m56789\x1b[0m"} {
		if !strings.Contains(got, want) {
			t.Errorf("the screen is %q, want %q in it", got, want)
		}
	}
}

func TestCode_UnknownLanguageOrTooLong_HasOneColour(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"```klingon\nreturn\n```", "```go\n" + strings.Repeat("x\n", 500) + "return\n```"} {
		if got := drawn(t, text, 60); !strings.Contains(got, "\x1b[36mreturn\x1b[0m") {
			t.Errorf("the screen is %.300q", got)
		}
	}
}

func TestCode_HostileText_IsHarmless(t *testing.T) {
	t.Parallel()
	if got := drawn(t, "```go\n\"\x1b]0;title\a\" // \x1b[2J\n```", 60); strings.Contains(got, "\x1b]") || strings.Contains(got, "\x1b[2J") {
		t.Errorf("the screen is %q", got)
	}
}
