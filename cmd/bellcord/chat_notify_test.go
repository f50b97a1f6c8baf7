//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The sequences with which a terminal reports that it has lost or got the focus,
// as the bytes that tmux sends.
var (
	focusLost = []string{"-H", "1b", "5b", "4f"}
	focusGot  = []string{"-H", "1b", "5b", "49"}
)

// recorded starts to record what the chat writes to its terminal, and returns a
// function that returns it.
func (c *talk) recorded() func() string {
	c.t.Helper()
	path := filepath.Join(c.t.TempDir(), "raw")
	c.tmux("pipe-pane", "-o", "cat >"+path)
	return func() string {
		raw, _ := os.ReadFile(path)
		return string(raw)
	}
}

func TestChat_FocusIsElsewhere_NotifiesAboutQuestionAndEnd(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats()
	raw := c.recorded()
	c.enters("[say first]")
	c.sees("● done")
	c.types(focusLost...)
	c.enters(`[tool shell {"command":"echo it ran"}]`)
	comesTrue(t, "a notice about the question", func() bool { return strings.Contains(raw(), "\x1b]9;Bellcord: waiting for you · [say first]\a\a") })
	c.answers("y")
	c.sees("│ it ran")
	comesTrue(t, "a notice about the end", func() bool { return strings.Contains(raw(), "\x1b]9;Bellcord: done 0:0") })
	if bell := c.tmux("display-message", "-p", "#{window_bell_flag}"); !strings.HasPrefix(bell, "1") {
		t.Error("the bell did not ring")
	}
	c.types(focusGot...)
	before := strings.Count(raw(), "\x1b]9;")
	c.enters("[say last words]")
	c.sees("\nlast words")
	c.leaves()
	if after := strings.Count(raw(), "\x1b]9;"); before != 2 || after != before {
		t.Errorf("%d notices without the focus, %d with it", before, after-before)
	}
	if !strings.Contains(raw(), "\x1b[?1004l") {
		t.Error("the terminal still reports its focus")
	}
}

func TestChat_NotifyIsFalse_WritesNoNotice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.chats("--config", w.writeFile("config.toml", "notify = false\n", 0o600))
	raw := c.recorded()
	c.types(focusLost...)
	c.enters("[say words]")
	c.sees("● done")
	c.leaves()
	if out := raw(); strings.Contains(out, "\x1b]9;") || strings.Contains(out, "\x1b[?1004h") {
		t.Errorf("%q", out)
	}
}

// A window can lose the focus right after Esc, so that both arrive in one read.
func TestChat_EscTogetherWithALostFocus_Stops(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.chats()
	c.enters("[hang]")
	c.sees("● running")
	c.types("-H", "1b", "1b", "5b", "4f")
	c.sees("■ stopped")
}
