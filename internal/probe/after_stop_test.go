//go:build unix

package probe_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/probe"
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
