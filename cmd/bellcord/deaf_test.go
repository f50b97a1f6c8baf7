//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord"
)

// deaf is a program on a terminal that is no longer read at the other end, as after a lost network
// connection.
type deaf struct {
	t      *testing.T
	far    *os.File // the end where a person would sit
	cmd    *exec.Cmd
	exited chan error
}

func (w *world) onDeafTerminal(args ...string) *deaf {
	w.t.Helper()
	far, near := openPair(w.t)
	d := &deaf{t: w.t, far: far, cmd: w.bellcord(args...), exited: make(chan error, 1)}
	d.cmd.Env = append(d.cmd.Env, "TERM=xterm-256color")
	d.cmd.Stdin, d.cmd.Stdout, d.cmd.Stderr = near, near, near
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := d.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	_ = near.Close()
	go func() { d.exited <- d.cmd.Wait() }()
	w.t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	return d
}

func openPair(t *testing.T) (far, near *os.File) {
	t.Helper()
	far, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = far.Close() })
	if err := unix.IoctlSetPointerInt(int(far.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(far.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(far.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 60, Col: 220}); err != nil {
		t.Fatal(err)
	}
	near, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return far, near
}

func (d *deaf) types(keys string) {
	d.t.Helper()
	if _, err := d.far.WriteString(keys); err != nil {
		d.t.Fatal(err)
	}
}

// waiting returns the number of bytes that have reached the far end and are unread.
func (d *deaf) waiting() int {
	d.t.Helper()
	n, err := unix.IoctlGetInt(int(d.far.Fd()), unix.TIOCINQ)
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}

// stuck waits until the terminal takes no more output.
func (d *deaf) stuck() {
	d.t.Helper()
	last, since := -1, time.Now()
	comesTrue(d.t, "the terminal is full", func() bool {
		if n := d.waiting(); n != last {
			last, since = n, time.Now()
		}
		return last > 0 && time.Since(since) > 500*time.Millisecond
	})
}

func (d *deaf) leaves() {
	d.t.Helper()
	select {
	case <-d.exited:
	case <-time.After(30 * time.Second):
		d.t.Error("the program is still there")
	}
}

// chatter returns a prompt for a command that prints a lot, and the path of a file with the
// command's process id.
func chatter(w *world) (prompt, child string) {
	return `[tool shell {"command":"echo $$ >child; while :; do head -c 20000 /dev/urandom | base64 -w 200; sleep 0.02; done"}]`, filepath.Join(w.dir, "child")
}

func TestLaw02_ChatOnBlockedTerminal_IsStopped(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(*deaf){
		"by Esc":     func(d *deaf) { d.types("\x1b") },
		"by Ctrl-C":  func(d *deaf) { d.types("\x03") },
		"by SIGTERM": func(d *deaf) { _ = d.cmd.Process.Signal(syscall.SIGTERM) },
		"by SIGHUP":  func(d *deaf) { _ = d.cmd.Process.Signal(syscall.SIGHUP) },
		"by its end": func(d *deaf) { _ = d.far.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).withoutSandbox()
			d := w.onDeafTerminal("chat", "--mode", "full")
			comesTrue(t, "the chat is shown", func() bool { return d.waiting() > 100 })
			prompt, file := chatter(w)
			d.types(prompt + "\r")
			child := numberIn(t, file)
			d.stuck()
			stop(d)
			comesTrue(t, "the child is gone", func() bool { return syscall.Kill(child, 0) != nil })
			_ = d.cmd.Process.Signal(syscall.SIGTERM)
			d.leaves()
			_, ends := w.record(w.onlySession())
			if len(ends) != 1 || ends[0].End != bellcord.EndStopped || len(ends[0].Calls.Stopped) != 1 {
				t.Errorf("ends %+v", ends)
			} else if *timing && ends[0].Times.Settled.Sub(ends[0].Times.StopRequested) > 10*time.Second { // law 12
				t.Errorf("settled too late: %+v", ends)
			}
		})
	}
}

// tooMuch is more text than an unread terminal takes.
var tooMuch = strings.Repeat("more than a terminal takes that nobody reads\n", 2500)

func TestLaw02_PlainChatOnBlockedTerminal_IsStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withoutSandbox()
	before := w.starts("[say ok] " + tooMuch)
	session := before.until("text_delta").Session
	before.drain()
	d := w.onDeafTerminal("chat", "--plain", "--mode", "full", "--session", string(session))
	d.stuck()
	prompt, file := chatter(w)
	d.types(prompt + "\n")
	child := numberIn(t, file)
	_ = d.cmd.Process.Signal(os.Interrupt)
	comesTrue(t, "the child is gone", func() bool { return syscall.Kill(child, 0) != nil })
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	d.leaves()
	if _, ends := w.record(session); len(ends) != 2 || ends[1].End != bellcord.EndStopped || ends[1].Cause.Kind != bellcord.CausePerson {
		t.Errorf("ends %+v", ends)
	}
}

func TestLaw02_AttachOnBlockedTerminal_StopsTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run := w.starts("[slow 6000 20ms] " + tooMuch)
	session := run.until("text_delta").Session
	d := w.onDeafTerminal("attach", string(session))
	d.stuck()
	d.types("\x1b")
	run.drain()
	if run.end == nil || run.end.End != bellcord.EndStopped || run.end.Cause.Source != "terminal" {
		t.Errorf("the turn ended %+v", run.end)
	}
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	d.leaves()
}
