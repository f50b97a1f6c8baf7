package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// identity returns a name for the root by its device and inode.
func (f *files) identity() (string, error) {
	info, err := f.root.Stat(".")
	if err != nil {
		return "", err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.New("the file system has no inodes")
	}
	return fmt.Sprintf("%x-%x", st.Dev, st.Ino), nil
}

func changeTime(info fs.FileInfo) (ctime int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctimespec.Nano(), st.Ino
	}
	return 0, 0
}
