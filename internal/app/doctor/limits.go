package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/proc"
)

// limits reports what each command can use, and what enforces that.
func (d *Doctor) limits(context.Context) []Finding {
	return limits(d.config.Settings, proc.LimitsBy())
}

func limits(c config.Config, by string) []Finding {
	var all []string
	switch l := app.CommandLimits(c.Limits).Resolve(); by {
	case "":
		all = []string{"memory, processes and processors cannot be limited on this system"}
	case "rlimit":
		memory := amount(l.Memory, "of memory for each process")
		if l.MemoryPercent > 0 {
			memory = "memory not limited, because there is no cgroup with controllers: see command_memory_bytes"
		}
		all = []string{memory, count(float64(l.Processes), "processes more than there are at the start (not of root)"), "processors not limited; by resource limits"}
	default:
		memory := amount(l.Memory, "of memory")
		if l.MemoryPercent > 0 {
			memory = fmt.Sprintf("%s (%d %%)", memory, l.MemoryPercent)
		}
		all = []string{memory, count(float64(l.Processes), "processes"), count(l.CPU, "processors") + "; by " + by}
	}
	const tmp = "of /tmp for each session"
	return ok("each command: %s; a command ends when its disk is almost full; %s", strings.Join(all, ", "), amount(cmp.Or(c.Sandbox.TmpBytes, 1<<30), tmp))
}

// amount returns a limit in bytes for people.
func amount(bytes int64, of string) string {
	switch {
	case bytes <= 0:
		return "no limit " + of
	case bytes < 1<<30:
		return fmt.Sprintf("%d MiB %s", bytes>>20, of)
	}
	return fmt.Sprintf("%.1f GiB %s", float64(bytes)/(1<<30), of)
}

func count(limit float64, of string) string {
	if limit <= 0 {
		return "no limit of " + of
	}
	return fmt.Sprintf("%v %s", limit, of)
}
