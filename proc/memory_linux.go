package proc

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// machineMemory returns the bytes of memory that this process and others can have:
// those of the machine, or of the smallest limit of the cgroups in which it is. 0
// means that it is unknown.
var machineMemory = sync.OnceValue(func() int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	least := int64(math.MaxInt64)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			if kB := number(strings.TrimSuffix(strings.TrimSpace(rest), " kB")); kB > 0 {
				least = kB << 10
			}
		}
	}
	for dir, file := range map[string]string{ownCgroup(): "memory.max", ownGroup1("memory"): "memory.limit_in_bytes"} {
		for at := dir; at != "" && at != "/" && at != "."; at = filepath.Dir(at) {
			limit, err := os.ReadFile(filepath.Join(at, file))
			if err != nil && at != dir { // above the hierarchy
				break
			}
			if n := number(strings.TrimSpace(string(limit))); n > 0 {
				least = min(least, n)
			}
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
})

// number returns a positive number, or 0.
func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return max(n, 0)
}
