//go:build linux || darwin

package proc

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// errHeld means that another process holds the lock or has removed the file.
var errHeld = errors.New("held by another process")

// lockFile opens a file, creates it if create is set, and locks it. The lock is
// released when the file is closed or this process exits. Children do not
// inherit it.
func lockFile(path string, create bool) (*os.File, error) {
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errHeld
		}
		return nil, err
	}
	if held, err := f.Stat(); err == nil { // the path may refer to another file by now
		if named, err := os.Stat(path); err == nil && os.SameFile(held, named) {
			return f, nil
		}
	}
	_ = f.Close()
	return nil, errHeld
}
