package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// spareSockets is how many ports of background commands a command can reach.
const spareSockets = 16

// spareSet contains unbound TCP sockets of a command's network namespace. A socket
// stays in its namespace, whichever process binds it.
type spareSet struct {
	mu     sync.Mutex
	fds    []int
	closed bool
}

func (s *spareSet) add(fds []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fds = append(s.fds, fds...)
	if s.closed {
		s.closeLocked()
	}
}

// listen binds a socket to a port of the loopback device.
func (s *spareSet) listen(port int) (net.Listener, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.fds) == 0 {
		return nil, fmt.Errorf("a command reaches %d ports of background commands at most", spareSockets)
	}
	fd := s.fds[0]
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return nil, os.NewSyscallError("bind", err) // the socket is still unbound
	}
	s.fds = s.fds[1:]
	f := os.NewFile(uintptr(fd), "server")
	if err := unix.Listen(fd, 128); err != nil {
		return nil, errors.Join(os.NewSyscallError("listen", err), f.Close())
	}
	defer func() { _ = f.Close() }() // net.FileListener has a copy
	return net.FileListener(f)
}

func (s *spareSet) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.closeLocked()
}

func (s *spareSet) closeLocked() {
	for _, fd := range s.fds {
		_ = unix.Close(fd)
	}
	s.fds = nil
}
