package surfaces_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

// terminal is a separate tmux server with bellcord chat on the session.
type terminal struct {
	t      *testing.T
	socket string
}

func openTerminal(s *stage, session bellcord.SessionID) *terminal {
	s.t.Helper()
	dir, err := os.MkdirTemp("", "tmux") // the path of t.TempDir is too long for a socket
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	x := &terminal{s.t, filepath.Join(dir, "s")}
	x.tmux("-f", "/dev/null", "new-session", "-d", "-x", "200", "-y", "50", "sh")
	s.t.Cleanup(func() { x.tmux("kill-server") })
	line := "env"
	for _, pair := range s.env {
		line += " '" + pair + "'"
	}
	x.types("-l", line+" '"+s.program+"' chat --session "+string(session))
	x.types("Enter")
	comesTrue(s.t, x.screen, func() bool { return strings.Contains(x.screen(), "\n›") })
	return x
}

func (x *terminal) tmux(args ...string) string {
	x.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

func (x *terminal) types(keys ...string) { x.tmux(append([]string{"send-keys"}, keys...)...) }

// screen returns the content of the screen and of the scrollback.
func (x *terminal) screen() string { return x.tmux("capture-pane", "-p", "-J", "-S", "-2000") }

func (x *terminal) name() string { return "the terminal" }

func (x *terminal) prompt(text string) {
	x.types("-l", text)
	x.types("Enter")
}

// of returns the screen from a turn's prompt on. Each prompt has a different text.
func (x *terminal) of(t turn) string {
	_, below, _ := strings.Cut(x.screen(), "> "+t.text)
	return below
}

func (x *terminal) streams(t turn) bool {
	below := x.of(t)
	return strings.Contains(below, "word3") && strings.Contains(below, "● running")
}

// ending returns the line after the answer, and the status line.
func (x *terminal) ending(t turn) string {
	below := x.of(t)
	if _, end, is := strings.Cut(below, "■ stopped after "); is && strings.Contains(end, "○ ready") {
		return "■ stopped after " + strings.Join(strings.Fields(end), " ")
	}
	return ""
}
