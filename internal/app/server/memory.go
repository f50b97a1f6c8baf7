package server

import (
	"log/slog"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// LimitMemory sets the Go memory limit to 80 % of the cgroup's limit: the rest
// is for the store's cache and the kernel's buffers. GOMEMLIMIT in the
// environment takes precedence.
func LimitMemory(log *slog.Logger) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return // not Linux
	}
	if most := cgroupMemory("/sys/fs/cgroup", string(groups)); most > 0 {
		debug.SetMemoryLimit(most / 5 * 4)
		log.Info("memory limit set from the cgroup", "cgroup", most, "go", most/5*4)
	}
}

// hugeMemory is more than any machine has. cgroup v1 writes a larger number if
// there is no limit.
const hugeMemory = 1 << 60

// cgroupMemory returns the smallest memory limit of the process's cgroup and
// its parents, or 0 without a limit. groups is the content of
// /proc/self/cgroup. In a container, its path may not exist; then the limit is
// at the root.
func cgroupMemory(root, groups string) int64 {
	var least int64
	for line := range strings.Lines(groups) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		base, file := root, "memory.max" // version 2
		if parts[0] != "0" || parts[1] != "" {
			if !strings.Contains(","+parts[1]+",", ",memory,") {
				continue
			}
			base, file = path.Join(root, "memory"), "memory.limit_in_bytes"
		}
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) {
			if most := readLimit(path.Join(base, at, file)); most > 0 && (least == 0 || most < least) {
				least = most
			}
			if at == "/" {
				break
			}
		}
	}
	return least
}

func readLimit(file string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	most, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // version 2 writes "max" for no limit
	if err != nil || most >= hugeMemory {
		return 0
	}
	return most
}
