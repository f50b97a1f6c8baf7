package proc

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// CheckPeer returns nil if the process that opened a connection to a local
// socket did not come from a turn. It returns a *TurnError if it did, and
// ErrNoPeer if the process cannot be identified. dir is the ledger, as for
// OfATurn.
//
// On macOS, orphans go to launchd. An orphan that has also left its session and
// cleared its environment is not detected.
func CheckPeer(conn syscall.Conn, dir string) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoPeer, err)
	}
	var pid int
	var failed error
	err = raw.Control(func(s uintptr) { pid, failed = unix.GetsockoptInt(int(s), unix.SOL_LOCAL, unix.LOCAL_PEERPID) })
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("%w: %w", ErrNoPeer, err)
	}
	before, ok := read(pid)
	if !ok {
		return fmt.Errorf("%w: process %d has exited", ErrNoPeer, pid)
	}
	if err := OfATurn(pid, dir); err != nil {
		return err
	}
	if after, ok := read(pid); !ok || after.ident != before.ident || after.dead {
		return fmt.Errorf("%w: process %d has exited", ErrNoPeer, pid)
	}
	return nil
}
