package chat_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

var sgr = regexp.MustCompile(`\x1b\[([0-9;]*)m`)

// codes returns the styles of a screen with a diff, code, a question and a stop.
func codes(t *testing.T, theme chat.Theme, light bool) (used []string, text string) {
	t.Helper()
	s := stageWith(t, chat.Options{Theme: theme})
	if light {
		s.m.Background(false)
	}
	s.runs("fix it").happens(bellcord.TextDelta{Text: "```go\nfunc f() { return \"x\" + 1 }\n```\n"}, called("c", "edit_file", `{"path":"total.go"}`), editQuestion())
	raw := strings.Join(s.window(100, 40), "\n")
	for _, m := range sgr.FindAllStringSubmatch(raw, -1) {
		if !slices.Contains(used, m[1]) {
			used = append(used, m[1])
		}
	}
	return used, ansi.Strip(raw)
}

func TestTheme_Each_UsesOnlyTheSixteenColoursAndShowsTheSameText(t *testing.T) {
	t.Parallel()
	_, want := codes(t, chat.ThemeDark, false)
	for _, theme := range []chat.Theme{chat.ThemeAuto, chat.ThemeDark, chat.ThemeLight, chat.ThemePlain} {
		used, text := codes(t, theme, theme == chat.ThemeAuto)
		if text != want {
			t.Errorf("%s shows\n%s\nnot\n%s", theme, text, want)
		}
		for _, code := range used {
			if len(code) > 2 {
				t.Errorf("%s uses the style %s", theme, code)
			}
		}
		has := func(code string) bool { return slices.Contains(used, code) }
		switch theme {
		case chat.ThemeDark:
			if !has("33") || !has("32") {
				t.Errorf("dark uses %v", used)
			}
		case chat.ThemeAuto, chat.ThemeLight: // auto has a light background
			if has("33") || has("36") || !has("35") || !has("34") {
				t.Errorf("%s uses %v", theme, used)
			}
		case chat.ThemePlain:
			if slices.ContainsFunc(used, func(c string) bool { return strings.HasPrefix(c, "3") && c != "3" }) || !has("7") || !has("1") {
				t.Errorf("plain uses %v", used)
			}
		}
	}
}

// Finished blocks and overlays are not part of the usual screen.
func TestTheme_FinishedBlocksAndHelp_AreInItsColours(t *testing.T) {
	t.Parallel()
	s := stageWith(t, chat.Options{Theme: chat.ThemePlain})
	s.runs("fix it").happens(bellcord.TextDelta{Text: "```go\nfunc f() { return \"x\" + 1 }\n```\n"}, called("c", "shell", `{"command":"make"}`),
		bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished, Failed: true, Result: "no rule"})
	printed := slices.Concat(s.m.Finished(100), s.m.Unfinished(100))
	s.m.Press("?", "?", s.now)
	all := strings.Join(slices.Concat(printed, s.m.Screen(100, 40).Lines), "\n")
	if !strings.Contains(all, "no rule") || !strings.Contains(all, "ctrl+o") {
		t.Fatalf("not shown:\n%s", all)
	}
	for _, m := range sgr.FindAllStringSubmatch(all, -1) {
		if strings.HasPrefix(m[1], "3") && m[1] != "3" {
			t.Fatalf("the style %s is used in\n%q", m[1], all)
		}
	}
}
