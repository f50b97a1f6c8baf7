//go:build linux || darwin

package proc

import "golang.org/x/sys/unix"

// freeSpace returns the free space and the size of the file system that
// contains dir, in bytes. Space that is reserved for root does not count as free.
func freeSpace(dir string) (free, size uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), nil
}
