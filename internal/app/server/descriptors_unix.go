//go:build unix

package server

import (
	"math"
	"syscall"
)

// descriptors returns the maximum number of files that the process may open,
// or 0 if it is unlimited or cannot be determined.
func descriptors() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > math.MaxInt32 {
		return 0
	}
	return int(limit.Cur)
}
