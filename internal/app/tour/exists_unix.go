//go:build unix

package tour

import (
	"errors"
	"syscall"
)

// exists reports whether a process exists.
func exists(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
