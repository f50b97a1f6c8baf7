//go:build unix

package confine

import (
	"os"
	"syscall"
)

// IsForeign reports whether a directory belongs to another user than that of this
// process. In the sandbox, root cannot write there.
func IsForeign(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) != os.Geteuid()
}
