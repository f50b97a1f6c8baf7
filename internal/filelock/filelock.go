// Package filelock locks files between processes. A lock belongs to the process
// that took it until that process releases it or dies.
package filelock

import (
	"errors"
	"os"
)

// ErrHeld means that another process holds the lock: it lives.
var ErrHeld = errors.New("locked by another process")

// Try makes the file if need be and locks it, or returns ErrHeld. It does not wait.
func Try(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := try(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Release unlocks and closes the file. Closing alone is not enough: until its
// program begins, a child that another goroutine is starting holds a copy of the
// descriptor, and with it the lock.
func Release(f *os.File) error { return errors.Join(Unlock(f), f.Close()) }
