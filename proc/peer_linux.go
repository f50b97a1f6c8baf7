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
// The process must still be alive when the check is over. Otherwise its number
// could belong to another process by now, while a child of it holds the
// connection.
func CheckPeer(conn syscall.Conn, dir string) error {
	pid, fd, err := peerOf(conn)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoPeer, err)
	}
	if fd >= 0 {
		defer func() { _ = unix.Close(fd) }()
	}
	if pid <= 0 {
		return fmt.Errorf("%w: it runs in another process namespace", ErrNoPeer)
	}
	before, ok := read(pid)
	if !ok {
		return fmt.Errorf("%w: process %d has exited", ErrNoPeer, pid)
	}
	if err := OfATurn(pid, dir); err != nil {
		return err
	}
	if after, ok := read(pid); !ok || after.ident != before.ident || after.dead || exited(fd) {
		return fmt.Errorf("%w: process %d has exited", ErrNoPeer, pid)
	}
	return nil
}

// peerOf returns the number of the process that opened the connection, and a
// descriptor of that process where the kernel has them (6.5), else -1.
func peerOf(conn syscall.Conn) (pid, fd int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, -1, err
	}
	fd = -1
	var cred *unix.Ucred
	var failed, noFD error
	err = raw.Control(func(s uintptr) {
		if cred, failed = unix.GetsockoptUcred(int(s), unix.SOL_SOCKET, unix.SO_PEERCRED); failed != nil {
			return
		}
		if fd, noFD = unix.GetsockoptInt(int(s), unix.SOL_SOCKET, unix.SO_PEERPIDFD); noFD != nil {
			fd = -1
		}
	})
	if err = errors.Join(err, failed); err != nil {
		return 0, fd, err
	}
	if noFD != nil && !errors.Is(noFD, unix.ENOPROTOOPT) && cred.Pid > 0 { // the kernel has descriptors, and not this one's
		return 0, fd, noFD
	}
	return int(cred.Pid), fd, nil
}

// exited reports whether the process of a descriptor has; -1 is none.
func exited(fd int) bool {
	if fd < 0 {
		return false
	}
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // a descriptor
	n, err := unix.Poll(poll, 0)
	return err == nil && n > 0
}
