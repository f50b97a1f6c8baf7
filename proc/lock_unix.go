//go:build linux || darwin

package proc

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// errHeld means that somebody else holds the lock, or took its file away.
var errHeld = errors.New("held by another process")

// lockFile opens a file, making it if told to, and locks it until it is closed,
// also by the death of this process. Children do not inherit it.
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
	if held, err := f.Stat(); err == nil { // locked, but is it still the one of that name?
		if named, err := os.Stat(path); err == nil && os.SameFile(held, named) {
			return f, nil
		}
	}
	_ = f.Close()
	return nil, errHeld
}
