//go:build windows

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Holder returns 0: Windows does not say which process holds a lock.
func Holder(*os.File) int { return 0 }

// TryLock locks an open file. It does not block: if the lock is held, it returns
// ErrHeld.
func TryLock(f *os.File) error { return attempt(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// tryShared fails while a process holds the lock that TryLock takes.
func tryShared(f *os.File) error { return attempt(f, 0) }

func attempt(f *os.File, how uint32) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}

// Wait locks an open file. It blocks until the lock is available.
func Wait(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{})
}

// Unlock releases the lock of an open file.
func Unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{})
}
