package confine

import (
	"os"
	"syscall"
)

// onDisk returns the bytes that a file takes on the disk: less than its size if it
// has holes.
func onDisk(info os.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}
