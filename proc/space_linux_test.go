package proc_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord/proc"
)

// stubborn starts processes that ignore SIGTERM: a child, a child in another
// session, and an orphan without environment. Then it prints "ready".
const stubborn = `trap '' TERM HUP INT
sleep TOKEN &
setsid sleep TOKEN &
(env -i setsid sh -c 'sleep TOKEN & exec sleep TOKEN' &)
echo ready
while :; do sleep TOKEN; done`

// runInSpace runs a script as the first process of a new PID namespace, without
// a program that does this.
func runInSpace(script string) {
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if id := os.Getuid(); id != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	if err := cmd.Run(); err != nil {
		fmt.Println(err)
	}
}

// inSpace returns the commands that run a script in a PID namespace.
func inSpace(t *testing.T, script string) map[string]proc.Command {
	t.Helper()
	all := map[string]proc.Command{
		"clone": {Args: []string{os.Args[0]}, Env: []string{"PROC_TEST_SPACE=" + script}},
		"clone from a shell": {
			Args: []string{"/bin/sh", "-c", "trap '' TERM; " + os.Args[0] + "; echo over"}, Env: []string{"PROC_TEST_SPACE=" + script},
		},
	}
	bwrap, err := exec.LookPath("bwrap")
	switch {
	case err == nil:
		all["bwrap"] = proc.Command{Args: []string{bwrap, "--unshare-pid", "--dev-bind", "/", "/", "/bin/sh", "-c", script}}
		all["bwrap in bwrap"] = proc.Command{Args: append([]string{bwrap, "--unshare-pid", "--dev-bind", "/", "/", "--proc", "/proc"}, all["bwrap"].Args...)}
	case os.Getenv("CI") != "":
		t.Fatal("bubblewrap is not installed")
	}
	return all
}

func TestProof_CommandInPIDNamespace_IsEndOfNamespace(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		for name, c := range inSpace(t, stubborn) {
			t.Run(name+" "+way.name, func(t *testing.T) {
				t.Parallel()
				stopInSpace(t, way.opts, c)
			})
		}
	}
}

func stopInSpace(t *testing.T, opts proc.Options, c proc.Command) {
	t.Helper()
	token := token()
	c.Args, c.Env = with(c.Args, token), with(c.Env, token)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out strings.Builder
	c.Output = func(data []byte) {
		out.Write(data)
		if strings.Contains(out.String(), "ready") {
			stop()
		}
	}
	opts.Grace = 300 * time.Millisecond
	exit, err := open(t, t.TempDir(), opts).Run(ctx, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	expectNothing(t, exit, token)
	if exit.Proof != "pid_namespace" || !strings.HasPrefix(out.String(), "ready\n") {
		t.Errorf("proof %q, output %q", exit.Proof, out.String())
	}
	killed := 0
	for _, e := range exit.Ended {
		if strings.Contains(e.Name, token) && e.How == proc.Killed {
			killed++
		}
	}
	if killed < 4 { // all of them ignore SIGTERM
		t.Errorf("%d of the stubborn processes were killed: %+v", killed, exit.Ended)
	}
}

func with(words []string, token string) []string {
	var all []string
	for _, word := range words {
		all = append(all, strings.ReplaceAll(word, "TOKEN", token))
	}
	return all
}

func TestProof_UnprivilegedPIDNamespace_IsEndOfNamespace(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		asUser(t, 64_323)
		return
	}
	for _, c := range inSpace(t, stubborn) {
		stopInSpace(t, proc.Options{}, c)
	}
}

// A server outside of every namespace goes on, so the end of a namespace below
// it proves nothing about the processes that EndSince ends.
func TestEndSince_NamespaceHasEnded_ProofIsThatOfTheScan(t *testing.T) {
	t.Parallel()
	k := open(t, "", proc.Options{NoCgroup: true})
	token := token()
	r, err := k.Start(proc.Command{
		Args: []string{"/bin/sh", "-c", "while read line; do " + os.Args[0] + "; sleep " + token + " & echo again; done"},
		Env:  []string{"PROC_TEST_SPACE=echo inside; read x"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer closeOut(t, r)
	lines := bufio.NewReader(r.Stdout)
	mark := r.Mark()
	writeLine(t, r, "go")
	expectLine(t, lines, "inside")
	if since := r.Since(mark); len(since) < 2 {
		t.Errorf("%+v", since)
	}
	writeLine(t, r, "leave")
	expectLine(t, lines, "again")
	if report := r.EndSince(mark, nil); report.Proof != "process_scan" || len(report.Survivors) > 0 {
		t.Errorf("%+v", report)
	}
	r.End(nil)
	if left := audit(t, token); len(left) > 0 {
		t.Errorf("%v are alive", left)
	}
}

// lateStarter is the first process of a namespace. It starts another one only
// after it has received SIGTERM, like a helper that was not ready before.
const lateStarter = `trap 'go=yes' TERM
echo ready
while [ -z "$go" ]; do sleep 0.01; done
sh -c 'sleep TOKEN; echo finished'`

func TestStop_HelperStartsItsCommandAfterTheSignal_CommandGetsTheSignalToo(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			c := inSpace(t, strings.ReplaceAll(lateStarter, "TOKEN", "3600"))["clone"]
			c.Helper = true
			exit, out := stopWhenReady(t, way.opts, c)
			if len(exit.Survivors) > 0 || strings.Contains(out, "finished") {
				t.Errorf("survivors %+v, output %q", exit.Survivors, out)
			}
			for _, e := range exit.Ended {
				if e.How == proc.Killed {
					t.Errorf("%s was killed", e.Name)
				}
			}
		})
	}
}

func TestStop_FirstProcessOfANamespaceStartsACleanup_CleanupFinishes(t *testing.T) {
	t.Parallel()
	for name, c := range inSpace(t, strings.ReplaceAll(lateStarter, "TOKEN", "0.3")) {
		if strings.HasPrefix(name, "bwrap") { // bwrap ends its command when it gets the signal
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, out := stopWhenReady(t, proc.Options{}, c); !strings.Contains(out, "finished") {
				t.Errorf("the cleanup was ended: %q", out)
			}
		})
	}
}

// stopWhenReady stops a command when it has printed "ready", with a grace period
// of twenty seconds, and returns what it has printed.
func stopWhenReady(t *testing.T, opts proc.Options, c proc.Command) (proc.Exit, string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out strings.Builder
	c.Output = func(data []byte) {
		out.Write(data)
		if strings.Contains(out.String(), "ready") {
			stop()
		}
	}
	opts.Grace = 20 * time.Second
	exit, err := open(t, t.TempDir(), opts).Run(ctx, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return exit, out.String()
}
