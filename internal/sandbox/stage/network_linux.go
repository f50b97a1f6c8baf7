package stage

import (
	"syscall"
	"unsafe"
)

// raiseLoopback starts the loopback device of a new network namespace.
func raiseLoopback() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer closeFD(fd)
	request := struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(request.name[:], "lo")
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))) //nolint:gosec // for a system call
	_, err = result(0, errno)
	return err
}

// sendListener listens inside the network namespace, and passes the listener to
// the server: its proxy serves the command without being reachable by others. It
// also passes unbound sockets of the namespace, which the server binds later, when
// it finds open ports.
func sendListener(p *Plan) error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return failure("create the listener", err)
	}
	defer closeFD(fd)
	err = syscall.Bind(fd, &syscall.SockaddrInet4{Port: int(p.ListenPort), Addr: [4]byte{127, 0, 0, 1}})
	if err == nil {
		err = syscall.Listen(fd, 128)
	}
	if err == nil {
		err = sendSockets(int(p.SocketFD), fd, int(p.Spare))
	}
	if err != nil {
		return failure("pass the listener", err)
	}
	closeFD(int(p.SocketFD))
	p.SocketFD = 0
	return nil
}

// sendSockets sends a listener and spare sockets. If there are spare ones, it
// returns after the server has bound those that the command needs at once. A server
// that has ended closes the connection, which counts too.
func sendSockets(to, listener, spare int) error {
	fds := []int{listener}
	defer func() {
		for _, fd := range fds[1:] {
			closeFD(fd)
		}
	}()
	for range spare {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		fds = append(fds, fd)
	}
	if err := syscall.Sendmsg(to, []byte{1}, syscall.UnixRights(fds...), nil, 0); err != nil || spare == 0 {
		return err
	}
	_, err := syscall.Read(to, make([]byte, 1))
	for err == syscall.EINTR { //nolint:errorlint // a plain errno
		_, err = syscall.Read(to, make([]byte, 1))
	}
	return err
}
