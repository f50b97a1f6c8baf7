package line_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

func TestDetails_AnyReceipt_HasOneFactPerLine(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	zone := at.Format("MST")
	stopped := bellcord.Times{Started: at, StopRequested: at.Add(2 * time.Second), Settled: at.Add(2065 * time.Millisecond)}
	for name, test := range map[string]struct {
		receipt bellcord.Receipt
		want    []string
	}{
		"a person's stop": {
			bellcord.Receipt{
				Turn: "t", Session: "s", End: bellcord.EndStopped, Times: stopped,
				Cause: &bellcord.Cause{Kind: bellcord.CausePerson, By: "anna", Source: "page", Reason: "too\nlong", At: at.Add(2 * time.Second), Mode: bellcord.StopForce},
				Calls: bellcord.Calls{Finished: 2, Stopped: []bellcord.CallRef{{Call: "1", Name: "shell"}}, NotStarted: []bellcord.CallRef{{Name: "fetch"}, {Name: "write_file"}}},
				Processes: bellcord.Processes{
					Ended: []bellcord.Process{{PID: 7, Name: "sleep 100", How: "terminated"}, {PID: 8, Name: "a\x1bb", How: "killed"}}, Proof: "cgroup_empty",
					Survivors: []bellcord.Process{{PID: 9, Name: "zombie", How: "running"}}, Unconfirmed: []bellcord.Process{{Name: "npm test"}}, Background: []bellcord.Process{{PID: 10, Name: "serve"}},
				},
				WithdrawnQuestions: []string{"q"}, HeldTurns: []bellcord.TurnID{"h"}, DroppedTurns: []bellcord.TurnID{"d1", "d2"},
				AgentAbandoned: true, Kept: bellcord.Kept{TextBytes: 5, FinishedCalls: 2}, Usage: bellcord.Usage{InputTokens: 3},
				LogHead: &bellcord.LogHead{Seq: 41},
			},
			[]string{
				"turn        t", "session     s",
				"end         stopped at 2026-01-02 03:04:07.065 " + zone + ", 2.065s after its start",
				"stop        by anna, from the page at 2026-01-02 03:04:07.000 " + zone + ", mode force; it took 65ms; reason: too long",
				"agent       abandoned: it did not return; its later writes are rejected",
				"tool calls  2 finished, 1 stopped (shell), 2 not run (fetch, write_file)",
				"processes   2 processes ended, cgroup empty", "              7 terminated: sleep 100", "              8 killed: a␛b",
				"            SURVIVED, still running:", "              9 running: zombie",
				"            NOT CONFIRMED AS ENDED, may still run:", "              npm test",
				"            in the background until the session ends:", "              10: serve",
				"proof       cgroup_empty: the kernel lists no process of the turn's commands any more",
				"questions   1 question withdrawn without an answer",
				"held        1 queued prompt", "            turn h", "dropped     2 queued prompts", "            turn d1", "            turn d2",
				"kept        5 bytes of text, 2 tool results", "usage       about 3 tokens",
				"log         event 41, SHA-256 " + strings.Repeat("0", 64),
			},
		},
		"sandbox": {
			bellcord.Receipt{Turn: "t", Session: "s", End: bellcord.EndDone, Times: stopped, Usage: bellcord.Usage{Exact: true}, Sandbox: &bellcord.Sandbox{
				Level: bellcord.SandboxLandlock, Gaps: []string{".git/config is writable", "processes are visible"},
			}},
			[]string{
				"turn        t", "session     s", "end         done at 2026-01-02 03:04:07.065 " + zone + ", 2.065s after its start",
				"processes   none had to be ended", "sandbox     landlock; not covered: .git/config is writable; processes are visible", "usage       0 tokens",
			},
		},
		"changed files": {
			bellcord.Receipt{Turn: "t", Session: "s", End: bellcord.EndDone, Times: stopped, Usage: bellcord.Usage{Exact: true}, Changes: &bellcord.Changes{
				Created: 1, Changed: 1, NotKept: 1, Problem: "the disk\nis full", Gaps: []bellcord.FileGap{{Path: "vendor", Reason: "no permission"}},
				Files: []bellcord.FileChange{
					{Path: "a\x1b.txt", Kind: bellcord.FileCreated, Certainty: bellcord.ChangeDuring},
					{Path: "big", Kind: bellcord.FileChanged, Certainty: bellcord.ChangeOwn, NotKept: "it is too large"},
				},
			}},
			[]string{
				"turn        t", "session     s", "end         done at 2026-01-02 03:04:07.065 " + zone + ", 2.065s after its start",
				"processes   none had to be ended",
				"files       1 changed, 1 created, not kept 1, incomplete",
				`              "a\x1b.txt": created while a command was running`, "              big: changed; cannot be undone: it is too large",
				"              not compared: vendor/: no permission", "              incomplete: the disk is full",
				"usage       0 tokens",
			},
		},
		"done before a stop": {
			bellcord.Receipt{Turn: "t", Session: "s", End: bellcord.EndDone, Times: stopped, Cause: &bellcord.Cause{Kind: bellcord.CauseDeadline, Reason: "2s", At: at}, Usage: bellcord.Usage{Exact: true}},
			[]string{
				"turn        t", "session     s", "end         done at 2026-01-02 03:04:07.065 " + zone + ", 2.065s after its start",
				"stop        time limit at 2026-01-02 03:04:05.000 " + zone + "; the turn had ended by itself first; reason: 2s",
				"processes   none had to be ended", "usage       0 tokens",
			},
		},
		"failed": {
			bellcord.Receipt{Turn: "t", Session: "s", End: bellcord.EndFailed, Error: "no\nroute", Times: stopped, Usage: bellcord.Usage{Exact: true}},
			[]string{
				"turn        t", "session     s", "end         failed at 2026-01-02 03:04:07.065 " + zone + ", 2.065s after its start: no route",
				"processes   none had to be ended", "usage       0 tokens",
			},
		},
		"stopped in the queue": {
			bellcord.Receipt{Turn: "t", Session: "s", End: bellcord.EndStopped, Prompt: "go", Times: bellcord.Times{Settled: at}, Cause: &bellcord.Cause{Kind: bellcord.CauseShutdown, By: "signal", Source: "serve", At: at}, Usage: bellcord.Usage{Exact: true}},
			[]string{
				"turn        t", "session     s", "end         stopped at 2026-01-02 03:04:05.000 " + zone + ", before it started",
				"stop        Bellcord was closed (signal, from bellcord serve) at 2026-01-02 03:04:05.000 " + zone,
				"prompt      go", "processes   none had to be ended", "usage       0 tokens",
			},
		},
	} {
		if got, want := line.Details(test.receipt), strings.Join(test.want, "\n")+"\n"; got != want {
			t.Errorf("%s:\n%swant\n%s", name, got, want)
		}
	}
}

func TestNotable_ProcessesOrAnotherEnd_NeedALine(t *testing.T) {
	t.Parallel()
	one := []bellcord.Process{{PID: 1}}
	for _, test := range []struct {
		receipt bellcord.Receipt
		want    bool
	}{
		{bellcord.Receipt{End: bellcord.EndDone}, false},
		{bellcord.Receipt{End: bellcord.EndFailed}, true},
		{bellcord.Receipt{End: bellcord.EndDone, Processes: bellcord.Processes{Ended: one}}, true},
		{bellcord.Receipt{End: bellcord.EndDone, Processes: bellcord.Processes{Survivors: one}}, true},
		{bellcord.Receipt{End: bellcord.EndDone, Processes: bellcord.Processes{Unconfirmed: one}}, true},
		{bellcord.Receipt{End: bellcord.EndDone, Processes: bellcord.Processes{Background: one}}, true},
	} {
		if got := line.Notable(test.receipt); got != test.want {
			t.Errorf("%+v: %v", test.receipt, got)
		}
	}
}

func TestDetails_ManyFiles_ListsTwentyAndCountsTheOthers(t *testing.T) {
	t.Parallel()
	changes := bellcord.Changes{Created: 203, More: 3}
	for i := range 200 {
		changes.Files = append(changes.Files, bellcord.FileChange{Path: fmt.Sprintf("file%03d", i), Kind: bellcord.FileCreated})
	}
	got := line.Details(bellcord.Receipt{Changes: &changes})
	if strings.Count(got, ": created\n") != 20 || !strings.Contains(got, "and 183 other paths\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestReceipt_Changes_AreCountedAndMakeTheLineNotable(t *testing.T) {
	t.Parallel()
	r := bellcord.Receipt{End: bellcord.EndDone, Changes: &bellcord.Changes{}}
	if got := line.Receipt(r); strings.Contains(got, "files") || line.Notable(r) {
		t.Errorf("without changes: %q", got)
	}
	r.Changes = &bellcord.Changes{Deleted: 1, Files: []bellcord.FileChange{{Path: "a", Kind: bellcord.FileDeleted}}}
	if got := line.Receipt(r); !strings.Contains(got, " · files: 1 deleted · ") || !line.Notable(r) {
		t.Errorf("with changes: %q", got)
	}
}
