//go:build unix

package server

import (
	"math"
	"syscall"
)

// descriptors returns how many files the process may have open, 0 if that is unknown
// or unlimited.
func descriptors() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > math.MaxInt32 {
		return 0
	}
	return int(limit.Cur)
}
