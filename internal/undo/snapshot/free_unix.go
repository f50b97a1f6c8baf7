//go:build unix

package snapshot

import "golang.org/x/sys/unix"

// diskSpace returns the free and the total bytes of the disk with a path.
func diskSpace(path string) (free, total uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, 0, err
	}
	size := uint64(st.Bsize)
	return st.Bavail * size, st.Blocks * size, nil
}
