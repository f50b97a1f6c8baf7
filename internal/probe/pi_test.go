//go:build unix

package probe_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/probe"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

func TestRun_PiWithDefect_FailsItsCheck(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	for _, tt := range []struct{ name, defect, found, also string }{
		{name: "nothing"},
		{name: "an abort right behind the prompt", defect: "loses-early-abort", found: "abort-same-write"},
		{name: "the processes of a tool", defect: "leaks", found: "abort-in-tool", also: "exit-on-eof"},
		{name: "the processes of an old tool", defect: "leaks-old-command", found: "abort-in-tool", also: "exit-on-eof"},
		{name: "a second end", defect: "ends-twice", found: "double-abort"},
		{name: "a retry after the stop", defect: "comes-back", found: "abort-in-retry"},
		{name: "the end of its input", defect: "survives-eof", found: "exit-on-eof"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for check, grade := range grades(t, faultyAgent(t, probe.Pi, tt.defect), quick) {
				switch {
				case check == tt.found && grade != probe.Fail:
					t.Errorf("%s does not find it: %s", check, grade)
				case check != tt.found && grade != probe.Pass && !slices.Contains(strings.Fields(tt.also), check):
					t.Errorf("%s: %s", check, grade)
				}
			}
		})
	}
}
