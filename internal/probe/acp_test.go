//go:build unix

package probe_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/probe"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

// quick keeps the tests short, because a check waits for the whole Patience
// after a lost stop.
var quick = probe.Options{
	Tries: 3, Patience: 3 * time.Second, Quiet: 300 * time.Millisecond, Later: 200 * time.Millisecond,
	Ages: []time.Duration{0, 300 * time.Millisecond},
}

func model(t *testing.T) (*fakemodel.Server, string) {
	t.Helper()
	m := fakemodel.New(fakemodel.WithLenience())
	running, url, err := m.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = running.Close() })
	return m, url
}

func shellArgs(command string) string {
	args, _ := json.Marshal(map[string]string{"command": command})
	return string(args)
}

// faultyAgent returns this test binary as an agent with a defect, or without
// one if defect is "". GORACE keeps the race detector from delaying its exit.
func faultyAgent(t *testing.T, protocol, defect string) probe.Target {
	t.Helper()
	m, url := model(t)
	return probe.Target{
		Name: "faulty", Command: []string{os.Args[0]}, Dir: t.TempDir(), Protocol: protocol, Model: m,
		Env:       []string{"PROBE_TEST_AGENT=" + protocol, "PROBE_TEST_DEFECT=" + defect, "PROBE_TEST_MODEL=" + url, "GORACE=atexit_sleep_ms=0"},
		ShellTool: "shell", ShellArgs: shellArgs,
	}
}

// optional reports whether a check was skipped that an agent on stdio without
// version 2 need not pass.
func optional(check, grade string) bool {
	return grade == probe.Skip && slices.Contains([]string{"cancel-after-cut", "v2-turn", "v2-cancel"}, check)
}

func grades(t *testing.T, target probe.Target, opts probe.Options) map[string]string {
	t.Helper()
	report, err := probe.Run(context.Background(), target, opts)
	t.Log("\n" + report.Table())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, r := range report.Results {
		all[r.Check] = r.Grade
	}
	return all
}

func TestRun_CorrectAgent_PassesAllChecks(t *testing.T) {
	t.Parallel()
	for check, grade := range grades(t, faultyAgent(t, probe.ACP, ""), quick) {
		if grade != probe.Pass && !optional(check, grade) {
			t.Errorf("%s: %s", check, grade)
		}
	}
}

func TestRun_AgentWithDefect_FailsItsCheck(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	for _, tt := range []struct{ defect, found, also string }{
		{defect: "loses-early-cancel", found: "cancel-same-write"},
		{defect: "end-turn-after-cancel", found: "cancel-mid-stream", also: "cancel-same-write cancel-request overlapping-prompts"},
		{defect: "error-instead-of-cancelled", found: "cancel-mid-stream", also: "cancel-same-write cancel-request overlapping-prompts"},
		{defect: "keeps-model-request", found: "cancel-mid-stream"},
		{defect: "leaks-grandchild", found: "cancel-in-tool", also: "exit-on-eof"},
		{defect: "leaks-old-command", found: "cancel-in-tool", also: "exit-on-eof"},
		{defect: "tool-never-final", found: "tool-final-status"},
		{defect: "hangs-on-permission", found: "permission-unanswered"},
		{defect: "runs-unpermitted", found: "permission-unanswered", also: "permission-cancelled"},
		{defect: "hangs-queued", found: "overlapping-prompts", also: "cancel-same-write"},
		{defect: "close-before-prompt", found: "close-mid-turn"},
		{defect: "late-update", found: "quiet-after-answer"},
		{defect: "stale-cancel", found: "idle-cancel"},
		{defect: "double-answer", found: "double-cancel"},
		{defect: "dangling-history", found: "history-paired"},
		{defect: "result-twice", found: "history-paired"},
		{defect: "second-result", found: "history-paired"},
		{defect: "forgets-partial", found: "history-paired"},
		{defect: "survives-eof", found: "exit-on-eof"},
		{defect: "keeps-background", found: "background-work"},
		{defect: "call-without-end", found: "background-work"},
		{defect: "prints-text", found: "messages-only"},
		{defect: "prints-a-log", found: "messages-only"},
		{defect: "refuses-v2", found: "v2-negotiation", also: "v2-turn v2-cancel"},
	} {
		t.Run(tt.defect, func(t *testing.T) {
			t.Parallel()
			found := grades(t, faultyAgent(t, probe.ACP, tt.defect), quick)
			if found[tt.found] != probe.Fail {
				t.Errorf("%s does not find it: %q", tt.found, found[tt.found])
			}
			for check, grade := range found {
				if check != tt.found && grade != probe.Pass && !optional(check, grade) && !slices.Contains(strings.Fields(tt.also), check) {
					t.Errorf("%s: %s", check, grade)
				}
			}
		})
	}
}

func TestRun_WithoutModel_SkipsScriptedChecksWithReason(t *testing.T) {
	t.Parallel()
	target := faultyAgent(t, probe.ACP, "")
	target.Model = nil
	opts := quick
	opts.Only = []string{"cancel-in-tool", "tool-final-status", "permission-unanswered", "history-paired", "idle-cancel", "exit-on-eof"}
	var reported int
	opts.Each = func(r probe.Result) {
		reported++
		if r.Grade == probe.Skip && !strings.Contains(r.Saw, "needs a scripted model") {
			t.Errorf("%s: %s", r.Check, r.Saw)
		}
	}
	found := grades(t, target, opts)
	for check, grade := range found {
		if alone := check == "idle-cancel" || check == "exit-on-eof"; alone != (grade == probe.Pass) || !alone != (grade == probe.Skip) {
			t.Errorf("%s: %s", check, grade)
		}
	}
	if reported != len(opts.Only) || len(found) != reported {
		t.Errorf("told of %d results, %d are in the report", reported, len(found))
	}
}

// Optional behavior that an agent does not implement is not a fault.
func TestRun_OptionalBehaviorMissing_IsSkipped(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	for defect, checks := range map[string][]string{
		"ignores-cancel-request": {"cancel-request"},
		"never-asks":             {"permission-unanswered", "permission-cancelled"},
		"offers-no-close":        {"close-mid-turn"},
		"runs-no-commands":       {"next-turn", "history-paired", "quiet-after-answer"},
	} {
		t.Run(defect, func(t *testing.T) {
			t.Parallel()
			opts := quick
			opts.Only = checks
			for check, grade := range grades(t, faultyAgent(t, probe.ACP, defect), opts) {
				if grade != probe.Skip {
					t.Errorf("%s: %s", check, grade)
				}
			}
		})
	}
}
