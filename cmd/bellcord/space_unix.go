//go:build unix

package main

import "syscall"

// freeSpace is what is left for us where a directory is, in bytes.
func freeSpace(dir string) (uint64, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, err
	}
	return uint64(fs.Bavail) * uint64(fs.Bsize), nil //nolint:unconvert // their types differ between systems
}
