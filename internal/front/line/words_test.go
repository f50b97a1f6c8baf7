package line_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

func TestReceipt_AnyEnd_IsDescribedInOneLine(t *testing.T) {
	t.Parallel()
	at := func(d time.Duration) time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(d) }
	ran := bellcord.Times{Started: at(0), Settled: at(1234567 * time.Microsecond)}
	stopped := bellcord.Times{Started: at(0), StopRequested: at(2 * time.Second), Settled: at(2*time.Second + 12340*time.Microsecond)}
	ref := func(names ...string) (refs []bellcord.CallRef) {
		for _, n := range names {
			refs = append(refs, bellcord.CallRef{Call: n, Name: n})
		}
		return refs
	}
	tests := []struct {
		name    string
		receipt bellcord.Receipt
		want    string
	}{
		{
			"a turn that is done",
			bellcord.Receipt{End: bellcord.EndDone, Times: ran, Kept: bellcord.Kept{TextBytes: 10, FinishedCalls: 1}, Usage: bellcord.Usage{InputTokens: 3, OutputTokens: 4, Exact: true}},
			"● done after 1.235s · kept 10 bytes of text, 1 tool result · 7 tokens",
		},
		{
			"a turn that is done and left processes behind",
			bellcord.Receipt{End: bellcord.EndDone, Times: ran, Processes: bellcord.Processes{Ended: []bellcord.Process{{PID: 1}, {PID: 2}, {PID: 3}}, Proof: "cgroup_empty"}, Usage: bellcord.Usage{Exact: true}},
			"● done after 1.235s · 3 processes ended, cgroup empty · 0 tokens",
		},
		{
			"a turn with a price",
			bellcord.Receipt{End: bellcord.EndDone, Usage: bellcord.Usage{InputTokens: 3, OutputTokens: 4, CostNanoUSD: 12_300_000, Exact: true}},
			"● done · 7 tokens, $0.0123",
		},
		{
			"a turn with a price that is an estimate",
			bellcord.Receipt{End: bellcord.EndLost, Usage: bellcord.Usage{InputTokens: 3, OutputTokens: 4, CostNanoUSD: 2_500_000_000}},
			"✗ lost: Bellcord ended during this turn · about 7 tokens, ≈$2.50",
		},
		{
			"a turn that a person stopped, with all that it had open",
			bellcord.Receipt{
				End: bellcord.EndStopped, Times: stopped, Cause: &bellcord.Cause{Kind: bellcord.CausePerson, By: "Ctrl-C", Source: "terminal"},
				Kept:               bellcord.Kept{TextBytes: 5, FinishedCalls: 2},
				Calls:              bellcord.Calls{Finished: 2, Stopped: ref("a"), NotStarted: ref("b", "c"), Unknown: ref("d")},
				Processes:          bellcord.Processes{Ended: []bellcord.Process{{PID: 1}, {PID: 2}}},
				WithdrawnQuestions: []string{"q"},
				HeldTurns:          []bellcord.TurnID{"x", "y"},
				Usage:              bellcord.Usage{InputTokens: 30, OutputTokens: 4},
			},
			"■ stopped by Ctrl-C, terminal after 2.012s (the stop took 12.3ms) · kept 5 bytes of text, 2 tool results · " +
				"1 tool call stopped, 2 not run, 1 unknown · 2 processes ended · 1 question withdrawn · 2 queued prompts held · about 34 tokens",
		},
		{
			"a turn of which nobody says who stopped it",
			bellcord.Receipt{End: bellcord.EndStopped, Usage: bellcord.Usage{Exact: true}},
			"■ stopped · 0 tokens",
		},
		{
			"a turn that was stopped before it began",
			bellcord.Receipt{End: bellcord.EndStopped, Cause: &bellcord.Cause{Kind: bellcord.CauseShutdown}, DroppedTurns: []bellcord.TurnID{"x"}, Usage: bellcord.Usage{Exact: true}},
			"■ stopped: Bellcord was closed · 1 queued prompt dropped · 0 tokens",
		},
		{
			"an agent that had to be abandoned, and a process that would not go",
			bellcord.Receipt{
				End: bellcord.EndStopped, Cause: &bellcord.Cause{Kind: bellcord.CauseDeadline}, AgentAbandoned: true,
				Processes: bellcord.Processes{Survivors: []bellcord.Process{{PID: 42, Name: "sleep"}}},
			},
			"■ stopped: time limit · agent abandoned (it did not return) · ! still running: sleep (42) · about 0 tokens",
		},
		{
			"a turn that failed, of whose trace only the first line is told",
			bellcord.Receipt{End: bellcord.EndFailed, Times: ran, Error: "no paper\ngoroutine 1\n", Usage: bellcord.Usage{Exact: true}},
			"✗ failed after 1.235s: no paper · 0 tokens",
		},
		{
			"a turn that was lost",
			bellcord.Receipt{End: bellcord.EndLost, Times: ran, Calls: bellcord.Calls{Unknown: ref("a", "b")}},
			"✗ lost: Bellcord ended during this turn · 2 tool calls unknown · about 0 tokens",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := line.Receipt(test.receipt); got != test.want {
				t.Errorf("\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestLastLine_TrailingBlankLines_AreSkipped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "a": "a", "a\nb\n\n \n": "b", "\n": "", "a\r\nb": "b"} {
		if got := line.LastLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestReceipt_AnswerCutAtTheOutputLimit_IsNotable(t *testing.T) {
	t.Parallel()
	r := bellcord.Receipt{End: bellcord.EndDone, Incomplete: bellcord.IncompleteMaxOutput}
	if got := line.Receipt(r); !strings.HasPrefix(got, "! done: cut off at the output limit · ") || !line.Notable(r) {
		t.Errorf("notable %v: %s", line.Notable(r), got)
	}
	if got := line.Details(r); !strings.Contains(got, "\nanswer      cut off at the output limit\n") {
		t.Errorf("the details are\n%s", got)
	}
}
