//go:build linux || darwin

package proc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord/proc"
)

// sh runs a script and returns its output.
func sh(t *testing.T, ctx context.Context, k *proc.Keeper, script string, c proc.Command) (proc.Exit, string) { //nolint:revive // t comes first
	t.Helper()
	return shForced(t, ctx, k, script, c, nil)
}

// shForced is like sh, with a channel that ends the grace period.
func shForced(t *testing.T, ctx context.Context, k *proc.Keeper, script string, c proc.Command, force <-chan struct{}) (proc.Exit, string) { //nolint:revive // t comes first
	t.Helper()
	var out strings.Builder
	c.Args = []string{"/bin/sh", "-c", script}
	next := c.Output
	c.Output = func(data []byte) {
		out.Write(data)
		if next != nil {
			next(data)
		}
	}
	exit, err := k.Run(ctx, c, force)
	if err != nil {
		t.Fatal(err)
	}
	return exit, out.String()
}

func TestRun_Command_ReturnsExitCodeAndOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := open(t, "", proc.Options{})
	tests := []struct {
		name, script, out string
		code              int
	}{
		{"without a word", "true", "", 0},
		{"with an exit code", "exit 7", "", 7},
		{"with both outputs, in order", "echo a; echo b >&2; echo c", "a\nb\nc\n", 0},
		{"with its input", "cat; echo read", "word\nread\n", 0},
		{"in its directory", "pwd -P | tail -c 4", dir[len(dir)-3:] + "\n", 0},
		{"with what is added to the environment", "echo $WHO", "anna\n", 0},
		{"by a signal of its own", "kill -9 $$", "", -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			exit, out := sh(t, t.Context(), k, test.script, proc.Command{Dir: dir, Env: []string{"WHO=anna"}, Stdin: strings.NewReader("word\n")})
			if exit.How != proc.Exited || exit.Code != test.code || out != test.out || exit.PID == 0 {
				t.Errorf("%+v with %q, want code %d with %q", exit, out, test.code, test.out)
			}
			if len(exit.Ended) != 1 || exit.Ended[0].PID != exit.PID || len(exit.Survivors) != 0 {
				t.Errorf("%+v", exit.Report)
			}
		})
	}
}

func TestRun_BareCommand_GetsOnlyItsOwnEnvironment(t *testing.T) {
	t.Parallel()
	_, out := sh(t, t.Context(), open(t, "", proc.Options{}), "/usr/bin/env", proc.Command{Bare: true, Env: []string{"WHO=anna"}, Owner: "turn-1"})
	if !strings.Contains(out, "WHO=anna\n") || !strings.Contains(out, "/turn-1\n") || strings.Contains(out, "HOME=") {
		t.Errorf("%q", out)
	}
}

func TestRun_LongOutput_IsComplete(t *testing.T) {
	t.Parallel()
	_, out := sh(t, t.Context(), open(t, "", proc.Options{}), "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done", proc.Command{})
	var want bytes.Buffer
	for i := range 20000 {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	if out != want.String() {
		t.Errorf("%d bytes, want %d", len(out), want.Len())
	}
}

func TestRun_CommandCannotStart_ReturnsError(t *testing.T) {
	t.Parallel()
	k := open(t, t.TempDir(), proc.Options{})
	if _, err := k.Run(t.Context(), proc.Command{Args: []string{"/no/such/program"}}, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing program: %v", err)
	}
	if _, err := k.Run(t.Context(), proc.Command{Args: []string{"/bin/sh"}, Dir: "/no/such/directory"}, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing directory: %v", err)
	}
	if _, err := k.Run(t.Context(), proc.Command{Args: []string{"/etc/passwd"}}, nil); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("no program: %v", err)
	}
	if _, err := k.Run(t.Context(), proc.Command{}, nil); err == nil {
		t.Error("no words, no error")
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	dir := t.TempDir()
	if _, err := k.Run(ctx, proc.Command{Args: []string{"/bin/sh", "-c", "touch " + dir + "/done"}}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped before it began: %v", err)
	}
	if _, err := os.Stat(dir + "/done"); err == nil {
		t.Error("stopped before it began, and yet it ran")
	}
}

// Each script prints "ready" and is then stopped. A command that ends because of
// SIGTERM has not used up its grace period: then it would be killed.
func TestLadder_EachKindOfCommand_EndsAsReported(t *testing.T) {
	t.Parallel()
	// The child prints it, so that the stop does not arrive between its fork
	// and its exec: there it would lose a signal that its parent handles, and
	// use up the grace period.
	const child = "sh -c 'echo ready; exec sleep 100'"
	const polite, deaf = "while :; do " + child + "; done", "trap '' TERM; echo ready; while :; do sleep 100; done"
	tests := []struct {
		name, script string
		grace        time.Duration
		force        bool
		how          proc.How
		code         int
		least        time.Duration
		last         string // suffix of the output
	}{
		{"a command ends when it is asked", polite, time.Minute, false, proc.Terminated, -1, 0, "ready\n"},
		{
			"a command that cleans up is given the time, and is heard", "trap 'echo bye; exit 3' TERM; " + polite,
			time.Minute, false, proc.Terminated, 3, 0, "\nbye\n",
		},
		{
			"what a command starts to clean up is not asked to end", "trap 'sleep 0.3; echo bye; exit 3' TERM; " + polite,
			time.Minute, false, proc.Terminated, 3, 300 * time.Millisecond, "\nbye\n",
		},
		{"a shell does not go on to its next command", child + "; echo next", time.Minute, false, proc.Terminated, -1, 0, "ready\n"},
		{"a command that does not listen is killed after the grace", deaf, 100 * time.Millisecond, false, proc.Killed, -1, 100 * time.Millisecond, "ready\n"},
		{"a forced stop does not wait for the grace", deaf, time.Hour, true, proc.Killed, -1, 0, "ready\n"},
	}
	for _, noCgroup := range []bool{false, true} {
		for _, test := range tests {
			t.Run(fmt.Sprintf("%s/no cgroup %v", test.name, noCgroup), func(t *testing.T) {
				t.Parallel()
				ctx, stop := context.WithCancel(context.Background())
				defer stop()
				force := make(chan struct{})
				if test.force {
					close(force)
				}
				var requested time.Time
				k := open(t, "", proc.Options{Grace: test.grace, NoCgroup: noCgroup})
				exit, out := shForced(t, ctx, k, test.script, proc.Command{Output: func(data []byte) {
					if bytes.HasPrefix(data, []byte("ready")) {
						requested = time.Now()
						stop()
					}
				}}, force)
				took := time.Since(requested)
				if exit.How != test.how || exit.Code != test.code || !strings.HasPrefix(out, "ready\n") || !strings.HasSuffix(out, test.last) {
					t.Errorf("%+v with %q", exit, out)
				}
				if took < test.least {
					t.Errorf("took %v", took)
				}
				if alive(exit.PID) {
					t.Error("it is alive")
				}
			})
		}
	}
}

func TestRun_CommandLeavesChildren_EndsAndReportsThem(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		how          proc.How
	}{
		{"a child that holds the pipe", "sleep 100 & echo $!", proc.Terminated},
		{"a child that does not listen", "mkfifo up; (trap '' TERM HUP INT; sh -c 'echo $PPID'; echo >up; while :; do sleep 100; done) & read x <up", proc.Killed},
		{"a child that is kept from hanging up", "nohup sleep 100 >/dev/null 2>&1 & echo $!", proc.Terminated},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			k := open(t, "", proc.Options{Grace: 300 * time.Millisecond})
			exit, out := sh(t, t.Context(), k, test.script, proc.Command{Dir: t.TempDir(), Owner: "turn-1"})
			if exit.How != proc.Exited || exit.Code != 0 {
				t.Errorf("%+v", exit)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(out))
			if err != nil {
				t.Fatal(err)
			}
			named := false
			for _, e := range exit.Ended {
				named = named || e.PID == pid && e.How == test.how && e.Name != "" && e.Owner == "turn-1"
			}
			if alive(pid) || !named {
				t.Errorf("alive %v, %+v", alive(pid), exit.Ended)
			}
		})
	}
}

func alive(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(stat), ") ")
	return err != nil || !strings.HasPrefix(after, "Z")
}

func open(t *testing.T, dir string, opts proc.Options) *proc.Keeper {
	t.Helper()
	k, err := proc.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}
