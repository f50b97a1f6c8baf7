package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// setting is one file of a group and what is written to it.
type setting struct {
	controller, file, value string
	swap                    bool // of memory in bytes; the kernel may lack the file
}

// write writes the settings of the limits to the groups.
func (l *limiter) write(settings func(Limits) []setting) error {
	for _, s := range settings(l.limits) {
		dir, wanted := l.groups[s.controller]
		if !wanted || s.swap && l.limits.MemoryPercent > 0 {
			continue
		}
		err := os.WriteFile(filepath.Join(string(dir), s.file), []byte(s.value), 0)
		if err != nil && !s.swap {
			return fmt.Errorf("setting a limit: %w", err)
		}
	}
	return nil
}

const cpuPeriod = 100_000 // µs

// settings2 returns the files of version 2. Swap would add to the memory in bytes.
func settings2(l Limits) []setting {
	return []setting{
		{"memory", "memory.max", strconv.FormatInt(l.Memory, 10), false},
		{"memory", "memory.swap.max", "0", true},
		{"pids", "pids.max", strconv.Itoa(l.Processes), false},
		{"cpu", "cpu.max", fmt.Sprintf("%d %d", l.cpuQuota(), cpuPeriod), false},
	}
}

// settings1 returns the files of version 1. "memsw" is memory and swap.
func settings1(l Limits) []setting {
	memory := strconv.FormatInt(l.Memory, 10)
	return []setting{
		{"memory", "memory.limit_in_bytes", memory, false},
		{"memory", "memory.memsw.limit_in_bytes", memory, true},
		{"pids", "pids.max", strconv.Itoa(l.Processes), false},
		{"cpu", "cpu.cfs_period_us", strconv.Itoa(cpuPeriod), false},
		{"cpu", "cpu.cfs_quota_us", strconv.Itoa(l.cpuQuota()), false},
	}
}

// cpuQuota returns the time per period; the kernel accepts no less than 1 ms.
func (l Limits) cpuQuota() int { return max(int(l.CPU*cpuPeriod), 1000) }
