//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

func TestAttach_WithoutTerminal_ShowsTurnToItsEndAndReceipt(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"in another process", "at a server"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			var args []string
			if where == "at a server" {
				args = []string{"--server", w.hostsTurns()}
			}
			p := w.starts(append(args, "[slow 100000 1ms]")...)
			delta := p.until("text_delta")
			watching := w.bellcord("attach", string(delta.Session)[:30])
			var out, errs strings.Builder
			watching.Stdout, watching.Stderr = &out, &errs
			if err := watching.Start(); err != nil {
				t.Fatal(err)
			}
			for range 50 {
				p.until("text_delta")
			}
			w.does("stop", string(delta.Turn))
			p.drain()
			_ = watching.Wait()
			if watching.ProcessState.ExitCode() != exitStopped || !strings.Contains(errs.String(), "■ stopped by ") {
				t.Errorf("exit code %d: %s", watching.ProcessState.ExitCode(), errs.String())
			}
			shown := strings.ReplaceAll(out.String(), "\n", "") // a note begins on a new line
			if text, _ := w.record(delta.Session); shown != text {
				t.Errorf("shown %q, on record %q", shown, text)
			}
		})
	}
}

func TestAttach_UniqueIDPrefixOrSuffix_SelectsSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.starts("[say hello]")
	session := string(p.until("text_delta").Session)
	p.drain()
	if out, errs, code := w.does("attach", strings.ToUpper(session[:8])); out != "hello\n" || code != 0 || !strings.HasPrefix(errs, "> [say hello]\n") {
		t.Errorf("%q %q, exit code %d", out, errs, code)
	}
	w.does("run", "another")
	if out, _, code := w.does("attach", session[len(session)-8:]); out != "hello\n" || code != 0 {
		t.Errorf("by its end: %q, exit code %d", out, code)
	}
	if _, errs, code := w.does("attach", session[:4]); !strings.Contains(errs, "is ambiguous: 2 ids") || code != exitFailed {
		t.Errorf("%q, exit code %d", errs, code)
	}
}

// missing skips a test that needs a tool which is not installed. In CI the test fails instead.
func missing(t *testing.T, tool string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(tool + " is not installed")
	}
	t.Skip(tool + " is not installed")
}

// terminal is a separate tmux server that a test types into.
type terminal struct {
	t      *testing.T
	socket string
}

func openTerminal(t *testing.T) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		missing(t, "tmux")
	}
	dir, err := os.MkdirTemp("", "tmux") // t.TempDir is too long for a socket path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	term := &terminal{t, filepath.Join(dir, "s")}
	term.tmux("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40", "sh")
	t.Cleanup(func() { term.tmux("kill-server") })
	return term
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

// sees waits until the screen contains the text.
func (x *terminal) sees(text string) {
	x.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	screen := ""
	for late := time.After(30 * time.Second); ; {
		if screen = x.tmux("capture-pane", "-p", "-J"); strings.Contains(screen, text) {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			x.t.Fatalf("%q is not on the screen:\n%s", text, screen)
		}
	}
}

func TestAttach_EscInTerminal_StopsAndRestoresTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := openTerminal(t)
	p := w.starts("--server", w.hostsTurns(), "[say Begun.][slow 100000 20ms]")
	delta := p.until("text_delta")
	attach := w.bellcord("attach", string(delta.Session))
	line := "env"
	for _, pair := range attach.Env[len(attach.Env)-6:] {
		line += " '" + pair + "'"
	}
	x.types(line+" '"+attach.Path+"' attach "+string(delta.Session)+"; echo code=$?; stty -a | grep -o ' icanon'", "Enter")
	x.sees("q or Ctrl-D: leave without stopping")
	x.sees("> [say Begun.]")
	x.types("Up")
	x.types("Left")
	for range 10 {
		p.until("text_delta")
	}
	if _, ends := w.record(delta.Session); len(ends) > 0 {
		t.Fatalf("an arrow stopped it: %+v", ends)
	}
	x.types("Escape")
	x.sees("■ stopped by ")
	p.drain()
	if p.end == nil || p.end.End != bellcord.EndStopped {
		t.Errorf("end %+v", p.end)
	}
	x.types("C-c") // nothing runs
	x.sees("code=0")
	x.sees(" icanon")
}
