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
// The process must still be alive at the end of the check. Otherwise its pid
// could have been reused while one of its children holds the connection.
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

// peerOf returns the pid of the process that opened the connection, and a pidfd
// of it where the kernel supports that (6.5), otherwise -1.
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
	if noFD != nil && !errors.Is(noFD, unix.ENOPROTOOPT) && cred.Pid > 0 { // the kernel supports pidfds, but returned none for this process
		return 0, fd, noFD
	}
	return int(cred.Pid), fd, nil
}

// exited reports whether the process of a pidfd has exited. It returns false
// for -1.
func exited(fd int) bool {
	if fd < 0 {
		return false
	}
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // a descriptor
	n, err := unix.Poll(poll, 0)
	return err == nil && n > 0
}
