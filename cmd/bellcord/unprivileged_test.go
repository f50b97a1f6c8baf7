//go:build linux

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/app/doctor"
)

// newUnprivilegedWorld is a world with processes of a user that owns only the world's directories.
// Only root can start them.
func newUnprivilegedWorld(t *testing.T) *world {
	t.Helper()
	if os.Getuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("this test starts processes as another user: run it as root")
		}
		t.Skip("this test starts processes as another user: run it as root")
	}
	const id = 64_321
	w := newServerWorld(t)
	home, err := os.MkdirTemp("", "bc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	w.dir, w.program = home, filepath.Join(home, "program")
	w.user = &syscall.Credential{Uid: id, Gid: id}
	copyProgram(t, os.Args[0], w.program)
	for _, dir := range []string{w.data, home} {
		if err := os.Chown(dir, id, id); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// copyProgram copies a program. A child that another test starts meanwhile would inherit
// the open file, and the kernel executes no file that is open for writing.
func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	err = os.WriteFile(to, text, 0o755) //nolint:gosec // it is executed
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
}

// sh runs a script as the world's user, outside of every turn.
func (w *world) sh(script string) (string, error) {
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir = w.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: w.user}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestServe_OtherProcessOfUnprivilegedUser_CannotReadItsMemory(t *testing.T) {
	t.Parallel()
	w := newUnprivilegedWorld(t)
	s := w.daemon(nil)
	server := "/proc/" + strconv.Itoa(s.Process.Pid)
	for _, script := range []string{"cat " + server + "/environ", "head -c 1 " + server + "/mem", "ls " + server + "/fd", "readlink " + server + "/exe"} {
		if out, err := w.sh(script); err == nil || !strings.Contains(out, "Permission denied") && out != "" {
			t.Errorf("%s: %v, %s", script, err, out)
		}
	}
}

// A process that is not dumpable does not own its files in /proc. It must still be able to read its
// own state and that of its children there.
func TestServe_UnprivilegedUser_StillContainsItsProcesses(t *testing.T) {
	t.Parallel()
	w := newUnprivilegedWorld(t)
	s := w.daemon(nil)
	seconds := strconv.Itoa(70_000_000 + os.Getpid())
	session, turn := s.prompts(shellCall("(env -i setsid sleep " + seconds + " &); echo up; sleep " + seconds))
	s.until(session, "tool_output_delta")
	var stopped api.Stopped
	if status := s.request("POST", "/v1/turns/"+string(turn)+"/stop", api.Stop{Wait: "20s"}, &stopped); status != 200 || len(stopped.Turns) != 1 || stopped.Turns[0].Receipt == nil {
		t.Fatalf("%d %+v; %s", status, stopped, s.stderrText())
	}
	receipt := stopped.Turns[0].Receipt
	if len(receipt.Processes.Survivors) != 0 || len(receipt.Processes.Ended) < 2 {
		t.Errorf("the receipt has %+v", receipt.Processes)
	}
	if out, err := w.sh("pgrep -f 'sleep " + seconds + "$'"); err == nil {
		t.Errorf("they are alive: %s", out)
	}
	out, errs, _ := w.does("doctor", "--json")
	var found []doctor.Finding
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	checked := map[string]bool{}
	for _, f := range found {
		switch f.Check {
		case "containment", "data directory", "store", "token", "port":
			checked[f.Check] = true
			if f.Verdict == doctor.Broken {
				t.Errorf("doctor: %+v", f)
			}
		}
	}
	if len(checked) != 5 {
		t.Errorf("doctor checked %v: %s", checked, out)
	}
}
