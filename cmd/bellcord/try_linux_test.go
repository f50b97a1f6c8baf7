package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

// visitor takes the tour of bellcord try, with an empty home directory and an empty directory for
// temporary files.
type visitor struct {
	*terminal
	t         *testing.T
	home, tmp string
}

func newVisitor(t *testing.T) *visitor {
	t.Helper()
	return &visitor{t: t, home: t.TempDir(), tmp: t.TempDir()}
}

func (v *visitor) env() []string {
	return []string{"BELLCORD_TEST_MAIN=1", "HOME=" + v.home, "TMPDIR=" + v.tmp, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}
}

// starts starts the tour in a terminal.
func (v *visitor) starts() {
	v.t.Helper()
	v.terminal = openTerminal(v.t)
	v.tmux("resize-window", "-x", "80", "-y", "24")
	v.types("-l", "clear; env -i '"+strings.Join(v.env(), "' '")+"' '"+os.Args[0]+"' try")
	v.types("Enter")
}

// tourSteps are the keys of the whole tour, and what the screen shows before each.
var tourSteps = []struct{ sees, keys string }{
	{"→ press enter to send this prompt", "Enter"},
	{"→ look at the diff", "y"},
	{"enter confirms", "Enter"},
	{"→ press enter to start a long answer", "Enter"},
	{"→ press enter to queue a second prompt", "Enter"},
	{"queue 1 · ", "Escape"},
	{"→ press tab, then s", "Tab"},
	{"s sends now", "s"},
	{"→ press enter to run it", "Enter"},
	{"→ press esc, wait two seconds", "Escape"},
	{"→ press enter to read the receipt", "Enter"},
	{"→ press enter to leave", "Enter"},
}

// follows takes the first steps of the tour.
func (v *visitor) follows(steps int) {
	v.t.Helper()
	for _, s := range tourSteps[:steps] {
		v.sees(s.sees)
		if s.keys == "y" {
			<-time.After(2 * line.Settling) // a question must be visible before a key can answer it
		}
		v.types(s.keys)
	}
}

// leftNothing checks that no process and no file of the tour is left.
func (v *visitor) leftNothing() {
	v.t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		v.t.Fatal(err)
	}
	for _, link := range links {
		if dir, _ := os.Readlink(link); strings.HasPrefix(dir, v.tmp) {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
			v.t.Errorf("a process is left: %s %q in %s", link, name, dir)
		}
	}
	for _, dir := range []string{v.home, v.tmp} {
		_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, _ error) error {
			if path != dir {
				v.t.Errorf("a file is left: %s", path)
			}
			return nil
		})
	}
}

func TestTry_WholeTour_ShowsQuestionQueueStopAndReceipt(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	v := newVisitor(t)
	v.starts()
	v.follows(len(tourSteps))
	v.sees("Nothing is left of the tour")
	shown := v.tmux("capture-pane", "-p", "-J", "-S", "-")
	for _, want := range []string{
		"1/4 Question", "✓ edit_file hello.txt · +1 −1", "1 + hello world", "2/4 Queue", "1 queued prompt held", "I waited in the queue.", "3/4 Stop",
		"4/4 Receipt", "processes   ", "proof       ", "Next: bellcord init",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q was not shown:\n%s", want, shown)
		}
	}
	if !regexp.MustCompile(`Checked just now: 0 of its [4-9] processes exist`).MatchString(shown) {
		t.Errorf("the processes were not checked:\n%s", shown)
	}
	v.leftNothing()
}

func TestTry_CtrlCAtEveryStep_LeavesNoProcessAndNoFile(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	for step := range tourSteps {
		t.Run(fmt.Sprint(step), func(t *testing.T) {
			t.Parallel()
			v := newVisitor(t)
			v.starts()
			v.follows(step)
			v.sees(tourSteps[step].sees)
			v.types("C-c")
			v.sees("Nothing is left of the tour")
			v.leftNothing()
		})
	}
}

func TestTry_WithoutTerminal_PlaysTheTourAsPlainText(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	v := newVisitor(t)
	cmd := exec.Command(os.Args[0], "try")
	cmd.Env = v.env()
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.ContainsRune(out, '\x1b') {
		t.Errorf("%v: %s", err, out)
	}
	for _, want := range []string{"1/4 Question", "→ look at the diff", "✓ edit_file hello.txt", "I waited in the queue.", "■ stopped after ", "Checked just now: 0 of its ", "proof       ", "Nothing is left of the tour"} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%q was not printed:\n%s", want, out)
		}
	}
	if n := bytes.Count(out, []byte("[fake model")); n != 1 {
		t.Errorf("the fake model introduces itself %d times:\n%s", n, out)
	}
	v.leftNothing()
}

func TestTry_SignalWhileTheCommandRuns_LeavesNothing(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	v := newVisitor(t)
	cmd := exec.Command(os.Args[0], "try", "--auto")
	cmd.Env = v.env()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "→ press esc, wait two seconds") {
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != exitStopped {
		t.Errorf("exit code %d", cmd.ProcessState.ExitCode())
	}
	v.leftNothing()
}
