package chats_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/front/chats"
)

func TestUnitsAndTail_AnyText_CountUTF16Units(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "abc": 3, "ü": 1, "漢字": 2, "🔔": 2, "a🔔b": 4} {
		if got := chats.Units(text); got != want {
			t.Errorf("%q has %d, not %d", text, got, want)
		}
	}
	if got := chats.Tail("🔔🔔🔔abc", 6); got != "…🔔abc" {
		t.Errorf("its tail is %q", got)
	}
	if got := chats.Tail("short", 6); got != "short" {
		t.Errorf("a text that fits became %q", got)
	}
}

func TestSplit_LongText_CutsAtTheBestPlace(t *testing.T) {
	t.Parallel()
	paragraph := strings.Repeat("word ", 12) + "end."
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"short", "a\n\nb", []string{"a\n\nb"}},
		{"nothing", " \n ", nil},
		{"between paragraphs", paragraph + "\n\n" + paragraph, []string{paragraph, paragraph}},
		{"between lines", paragraph + "\n" + paragraph, []string{paragraph, paragraph}},
		{"between words", strings.Repeat("0123456789 ", 12), []string{strings.TrimSpace(strings.Repeat("0123456789 ", 8)), " " + strings.TrimSpace(strings.Repeat("0123456789 ", 4)) + " "}},
		{"in a word", strings.Repeat("x", 150), []string{strings.Repeat("x", 96), strings.Repeat("x", 54)}},
		{"in a fence", "```go\n" + strings.Repeat("line\n", 30) + "```", []string{
			"```go\n" + strings.TrimSpace(strings.Repeat("line\n", 18)) + "\n```", "```go\n" + strings.Repeat("line\n", 12) + "```",
		}},
	} {
		got := chats.Split(test.text, 100)
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", test.want) {
			t.Errorf("%s:\n%q\nnot\n%q", test.name, got, test.want)
		}
	}
}
