//go:build linux || darwin

package proc_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord/proc"
)

// eventually waits until holds returns true, and fails the test after 10
// seconds.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	bound := time.After(10 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-bound:
			t.Fatal("it did not happen")
		}
	}
}

func closeOut(t *testing.T, r *proc.Running) {
	t.Helper()
	if err := r.Stdout.Close(); err != nil {
		t.Error(err)
	}
}

func TestStart_Server_AnswersUntilEnd(t *testing.T) {
	t.Parallel()
	k := open(t, t.TempDir(), proc.Options{})
	output := make(chan string, 10)
	r, err := k.Start(proc.Command{
		Args:   []string{"/bin/sh", "-c", "echo up >&2; while read line; do echo got $line; done; sleep 100"},
		Output: func(data []byte) { output <- string(data) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := <-output; s != "up\n" {
		t.Errorf("stderr said %q", s)
	}
	answers := bufio.NewReader(r.Stdout)
	for _, word := range []string{"one", "two"} {
		fmt.Fprintln(r.Stdin, word)
		if line, err := answers.ReadString('\n'); err != nil || line != "got "+word+"\n" {
			t.Errorf("%q, %v", line, err)
		}
	}
	var all sync.WaitGroup
	reports := make([]proc.Report, 5)
	for i := range reports {
		all.Go(func() { reports[i] = r.End(nil) })
	}
	all.Wait()
	for _, report := range reports {
		if len(report.Ended) != len(reports[0].Ended) || report.Took != reports[0].Took || len(report.Survivors) != 0 {
			t.Errorf("%+v and %+v", report, reports[0])
		}
	}
	if exit := r.Wait(); exit.How != proc.Terminated || exit.PID != r.PID || alive(r.PID) {
		t.Errorf("%+v", exit)
	}
	if rest, err := io.ReadAll(answers); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
	closeOut(t, r)
}

func TestStart_ServerExits_EndsItsChildren(t *testing.T) {
	t.Parallel()
	k := open(t, "", proc.Options{})
	r, err := k.Start(proc.Command{Args: []string{"/bin/sh", "-c", "sleep 100 & exit 4"}, Name: "server"})
	if err != nil {
		t.Fatal(err)
	}
	exit := r.Wait()
	if exit.Code != 4 || exit.How != proc.Exited || len(exit.Ended) != 2 || exit.Ended[0].Name != "server" || alive(exit.Ended[1].PID) {
		t.Errorf("%+v", exit)
	}
	if again := r.End(nil); len(again.Ended) != 2 {
		t.Errorf("%+v", again)
	}
	closeOut(t, r)
}

func TestClose_ConcurrentStarts_EndsAllAndStartsNoMore(t *testing.T) {
	t.Parallel()
	k, err := proc.Open(t.TempDir(), proc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var started sync.Map
	var all sync.WaitGroup
	for range 8 { // some start in time, some are too late
		all.Go(func() {
			for {
				r, err := k.Start(proc.Command{Args: []string{"/bin/sh", "-c", "(setsid sleep 100 &); exec sleep 100"}})
				if errors.Is(err, proc.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				started.Store(r.PID, r)
			}
		})
	}
	eventually(t, func() bool {
		n := 0
		started.Range(func(any, any) bool { n++; return true })
		return n > 10
	})
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
	started.Range(func(pid, r any) bool {
		if alive(pid.(int)) {
			t.Errorf("process %d is alive", pid)
		}
		closeOut(t, r.(*proc.Running))
		return true
	})
	if _, err := k.Run(t.Context(), proc.Command{Args: []string{"true"}}, nil); !errors.Is(err, proc.ErrClosed) {
		t.Errorf("after the close: %v", err)
	}
	if err := k.Close(); err != nil && !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
}

func TestStart_Command_RunsInNewSession(t *testing.T) {
	t.Parallel()
	k := open(t, t.TempDir(), proc.Options{})
	r, err := k.Start(proc.Command{Args: []string{"/bin/cat"}})
	if err != nil {
		t.Fatal(err)
	}
	if session, err := unix.Getsid(r.PID); err != nil || session != r.PID {
		t.Errorf("process %d is in session %d (%v), want a session of its own", r.PID, session, err)
	}
	closeOut(t, r)
	r.End(nil)
}

// A helper of a sandbox goes on while processes that the command left behind live.
func TestRun_HelperSendsExitCode_EndsTheRestAndReturnsTheCode(t *testing.T) {
	t.Parallel()
	k := open(t, "", proc.Options{})
	status, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = theirs.Close() }()
	c := proc.Command{Args: []string{"/bin/sh", "-c", `sleep 300 & printf '\007' >&3; wait`}, Files: []*os.File{theirs}, Status: status}
	exit, err := k.Run(t.Context(), c, nil)
	if err != nil || exit.Code != 7 || exit.How != proc.Exited || len(exit.Survivors) > 0 {
		t.Errorf("%+v, %v", exit, err)
	}
	if err := status.Close(); err == nil {
		t.Error("the pipe is still open")
	}
}
