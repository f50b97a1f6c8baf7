//go:build unix

package proc_test

import (
	"bufio"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/proc"
)

// The server starts processes for a request and continues, as agents do.
func TestEndSince_ProcessesAfterMark_EndAndOthersContinue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does string
		slow bool
	}{
		"a child":                     {"sleep 300 &", false},
		"a child of a child":          {"sh -c 'sleep 300 & sleep 301' &", false},
		"one in a session of its own": {"setsid sleep 300 &", false},
		"an orphan":                   {"sh -c 'setsid sleep 300 &'", false},
		// It inherits that SIGTERM is ignored, so there is no moment at which it is not.
		"one that does not listen":        {"trap '' TERM; sh -c 'while :; do sleep 1; done' & trap - TERM", true},
		"nobody: there is nothing to end": {":", false},
	} {
		for _, noCgroup := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", without a cgroup"}[noCgroup], func(t *testing.T) {
				t.Parallel()
				k, err := proc.Open("", proc.Options{NoCgroup: noCgroup, Grace: 500 * time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = k.Close() }()
				script := "sleep 299 & echo ready; while read line; do case $line in go) " + c.does + "\n echo done;; *) echo alive;; esac; done"
				r, err := k.Start(proc.Command{Args: []string{"sh", "-c", script}, Owner: "test"})
				if err != nil {
					t.Fatal(err)
				}
				out := bufio.NewReader(r.Stdout)
				expectLine(t, out, "ready")
				mark := r.Mark()
				writeLine(t, r, "go")
				expectLine(t, out, "done")
				before := r.Since(mark)
				report := r.EndSince(mark, nil)
				if left := r.Since(mark); len(left) > 0 || len(report.Survivors) > 0 {
					t.Errorf("left %+v, survivors %+v", left, report.Survivors)
				}
				if nobody := c.does == ":"; (len(before) == 0) != nobody || (len(report.Ended) == 0) != nobody {
					t.Errorf("there were %+v, ended %+v", before, report.Ended)
				}
				killed := slices.ContainsFunc(report.Ended, func(e proc.Ended) bool { return e.How == proc.Killed })
				if killed != c.slow { // only a process that ignores SIGTERM is killed
					t.Errorf("ended %+v after %v", report.Ended, report.Took)
				}
				writeLine(t, r, "hello")
				expectLine(t, out, "alive")
				end := r.End(nil)
				if len(end.Ended) < 2 || len(end.Survivors) > 0 { // itself, and the processes it had before the mark
					t.Errorf("ended %+v", end)
				}
			})
		}
	}
}

func expectLine(t *testing.T, out *bufio.Reader, want string) {
	t.Helper()
	line, err := out.ReadString('\n')
	if err != nil || strings.TrimSpace(line) != want {
		t.Fatalf("it said %q, %v; want %q", line, err, want)
	}
}

func writeLine(t *testing.T, r *proc.Running, line string) {
	t.Helper()
	if _, err := r.Stdin.Write([]byte(line + "\n")); err != nil {
		t.Fatal(err)
	}
}
