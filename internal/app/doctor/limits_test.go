package doctor

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

func TestLimits_MeansAndSettings_DecideWhatIsReported(t *testing.T) {
	t.Parallel()
	none := config.Defaults()
	none.Limits = config.Limits{}
	bytes := config.Defaults()
	bytes.Limits = config.Limits{CommandMemoryBytes: 512 << 20, CommandProcesses: 500, CommandCPUs: 1.5, CommandMemoryPercent: 75}
	for name, of := range map[string]struct {
		settings config.Config
		by       string
		want     []string
	}{
		"defaults, cgroups":         {config.Defaults(), "cgroup2", []string{"GiB of memory (75 %)", "8192 processes", "no limit of processors", "by cgroup2", "1.0 GiB of /tmp"}},
		"defaults, resource limits": {config.Defaults(), "rlimit", []string{"memory not limited", "command_memory_bytes", "8192 processes more", "not of root"}},
		"bytes, cgroups":            {bytes, "cgroup1", []string{"512 MiB of memory,", "500 processes", "1.5 processors", "by cgroup1"}},
		"bytes, resource limits":    {bytes, "rlimit", []string{"512 MiB of memory for each process", "500 processes"}},
		"none":                      {none, "cgroup2", []string{"no limit of memory", "no limit of processes"}},
		"another system":            {config.Defaults(), "", []string{"cannot be limited", "disk is almost full"}},
	} {
		found := limits(of.settings, of.by)
		for _, want := range of.want {
			if len(found) != 1 || found[0].Verdict != OK || !strings.Contains(found[0].Says, want) {
				t.Errorf("%s: no %q in %+v", name, want, found)
			}
		}
	}
}
