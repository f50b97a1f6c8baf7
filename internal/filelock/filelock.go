// Package filelock locks files between processes. A process holds a lock until
// it releases it or exits.
package filelock

import (
	"errors"
	"os"
)

// ErrHeld means that another process holds the lock and is therefore alive.
var ErrHeld = errors.New("locked by another process")

// Try opens the file, creating it if needed, and locks it. It does not block:
// if the lock is held, it returns ErrHeld.
func Try(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := TryLock(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Release unlocks and closes the file. Closing alone is not enough: between
// fork and exec, a child process that another goroutine starts has a copy of
// the descriptor, and with it the lock.
func Release(f *os.File) error { return errors.Join(Unlock(f), f.Close()) }

// IsHeld reports whether another process holds the lock of an existing file. Two
// processes can ask at the same time.
func IsHeld(path string) (bool, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	if err := tryShared(f); errors.Is(err, ErrHeld) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	return false, Unlock(f)
}
