//go:build unix

package filelock

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Holder returns the id of the process that holds the lock of an open file, or 0
// if it is not known. Only Linux lists the locks.
func Holder(f *os.File) int {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	inode := fmt.Sprintf(":%d", info.Sys().(*syscall.Stat_t).Ino)
	locks, _ := os.ReadFile("/proc/locks") // it does not exist on other systems
	for line := range strings.Lines(string(locks)) {
		// 1: FLOCK  ADVISORY  WRITE 3232 08:02:4980753 0 EOF; a line of a process that waits has an arrow after the number.
		fields := strings.Fields(line)
		if len(fields) > 5 && fields[1] == "FLOCK" && strings.HasSuffix(fields[5], inode) {
			pid, _ := strconv.Atoi(fields[4])
			return max(pid, 0)
		}
	}
	return 0
}

// TryLock locks an open file. It does not block: if the lock is held, it returns
// ErrHeld.
func TryLock(f *os.File) error { return attempt(f, syscall.LOCK_EX) }

// tryShared fails while a process holds the lock that TryLock takes.
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
