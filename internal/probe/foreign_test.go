//go:build unix

package probe_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/probe"
)

// An agent that is ended while it writes leaves a part of a line.
func TestRun_AgentEndsInsideALine_IsNoFinding(t *testing.T) {
	t.Parallel()
	opts := quick
	opts.Only = []string{"exit-on-eof", "messages-only"}
	for check, grade := range grades(t, faultyAgent(t, probe.ACP, "ends-inside-a-line"), opts) {
		if grade != probe.Pass {
			t.Errorf("%s: %s", check, grade)
		}
	}
}
