//go:build unix

package doctor

import "syscall"

// freeSpace returns the free bytes on the file system of a directory.
func freeSpace(dir string) (uint64, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, err
	}
	return uint64(fs.Bavail) * uint64(fs.Bsize), nil //nolint:unconvert // their types differ between systems
}
