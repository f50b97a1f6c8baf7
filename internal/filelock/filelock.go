// Package filelock locks files between processes. A lock is its holder's until the
// file is closed, also by the holder's death; children do not inherit it.
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
