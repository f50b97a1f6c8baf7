package proc

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// CheckPeer returns an error unless the process that opened a connection to a
// local socket is known to come from no turn: a *TurnError if it does, ErrNoPeer
// if it cannot be identified. dir is the ledger, as for OfATurn.
//
// Orphans go to launchd on macOS: one that has also left its session and cleared
// its environment is not found.
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
