package main

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
)

// A model sends sequences that would rename a window, write to the clipboard, move the cursor and
// clear the screen. No command writes them to a terminal.
func TestHeld_EscapeSequencesOfModel_NeverReachTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hostile := "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[2J\x1b[1;1H\u009b31mred \x9b\x08\x7f"
	p := w.starts(hostile + " end")
	session := string(p.until("text_delta").Session)
	p.drain()
	var turn bellcord.TurnID
	if p.end != nil {
		turn = p.end.Turn
	}
	for _, args := range [][]string{
		{"run", hostile + " end"},
		{"run", "--session", session, hostile + " end"},
		{"sessions"},
		{"sessions", "show", session},
		{"ps"},
		{"stop", string(turn)},
	} {
		shown := w.onTerminal(args...).raw()
		// A line feed is the only control character that these commands write.
		for _, r := range shown {
			if unicode.IsControl(r) && r != '\r' && r != '\n' {
				t.Errorf("bellcord %s shows %q in\n%q", args[0], r, shown)
			}
		}
		if !utf8.ValidString(shown) {
			t.Errorf("bellcord %s shows bytes that are no text in\n%q", args[0], shown)
		}
		if args[0] == "run" && !strings.Contains(shown, "end") {
			t.Errorf("bellcord run shows %q", shown)
		}
	}
}
