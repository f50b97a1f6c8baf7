//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

func try(f *os.File) error { return attempt(f, syscall.LOCK_EX) }

// tryShared fails while a process holds the lock that try takes.
func tryShared(f *os.File) error { return attempt(f, syscall.LOCK_SH) }

func attempt(f *os.File, how int) error {
	err := flock(f, how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}

// Wait locks an open file. It blocks until the lock is available.
func Wait(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// Unlock releases the lock of an open file.
func Unlock(f *os.File) error { return flock(f, syscall.LOCK_UN) }

// flock calls the system call and retries it when a signal interrupts it.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
