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
// the server: its proxy serves the command without being reachable by others.
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
		err = syscall.Sendmsg(int(p.SocketFD), []byte{1}, syscall.UnixRights(fd), nil, 0)
	}
	if err != nil {
		return failure("pass the listener", err)
	}
	closeFD(int(p.SocketFD))
	p.SocketFD = 0
	return nil
}
