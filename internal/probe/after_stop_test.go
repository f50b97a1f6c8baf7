//go:build unix

package probe_test

import (
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/probe"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

func TestRun_NoCommandRunsAfterAStop_FailsEveryCheckThatNeedsOne(t *testing.T) {
	t.Parallel()
	for _, defect := range []string{"broken-after-stop", "no-commands-after-stop"} {
		t.Run(defect, func(t *testing.T) {
			t.Parallel()
			opts := quick
			opts.Only = []string{"next-turn", "history-paired", "quiet-after-answer"}
			for check, grade := range grades(t, faultyAgent(t, probe.ACP, defect), opts) {
				if grade != probe.Fail {
					t.Errorf("%s: %s", check, grade)
				}
			}
		})
	}
}

func TestRun_StopTakesLongerThanFiveSeconds_FailsTheChecksOfCancel(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	for protocol, checks := range map[string][]string{
		probe.ACP: {"cancel-mid-stream", "overlapping-prompts"},
		probe.Pi:  {"abort-mid-stream"},
	} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			opts := quick
			opts.Patience, opts.Only = 10*time.Second, checks
			for check, grade := range grades(t, faultyAgent(t, protocol, "slow-stop"), opts) {
				if grade != probe.Fail {
					t.Errorf("%s: %s", check, grade)
				}
			}
		})
	}
}
