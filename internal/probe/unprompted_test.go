//go:build unix

package probe_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/probe"
)

func TestRun_AgentGoesOnByItself_MustStopAtACancel(t *testing.T) {
	t.Parallel()
	for defect, want := range map[string]string{
		"goes-on":              probe.Fail,
		"goes-on-until-cancel": probe.Pass,
		"goes-on-in-process":   probe.Fail,
	} {
		t.Run(defect, func(t *testing.T) {
			t.Parallel()
			opts := quick
			opts.Only = []string{"unprompted-work"}
			if grade := grades(t, faultyAgent(t, probe.ACP, defect), opts)["unprompted-work"]; grade != want {
				t.Errorf("%s, want %s", grade, want)
			}
		})
	}
}
