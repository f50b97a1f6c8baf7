package proc

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// spaces holds the first process of each PID namespace that a command has
// created below the namespace of this process. When the first process of a
// namespace exits, the kernel kills all others in it, including namespaces below,
// and reports the exit only after they are gone. A pidfd of the first process is
// therefore a proof for all of them.
type spaces struct {
	mu      sync.Mutex
	checked map[ident]bool
	firsts  map[ident]int  // pidfds of first processes that have not exited
	tops    map[ident]bool // first processes of namespaces directly below the one of this process
	found   bool           // there was at least one namespace
}

// note adds the first processes among the members of a command. A process stays
// in its namespace, so each one is checked only once.
func (s *spaces) note(members []process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropExited()
	if s.checked == nil || len(s.checked) > 2*len(members)+100 { // most entries are of processes that are gone
		s.checked = make(map[ident]bool)
	}
	for _, p := range members {
		if _, held := s.firsts[p.ident]; held || s.checked[p.ident] {
			continue
		}
		s.checked[p.ident] = true
		fd, depth := openFirst(p.ident)
		if depth == 0 {
			continue
		}
		if s.firsts == nil {
			s.firsts, s.tops = make(map[ident]int), make(map[ident]bool)
		}
		s.firsts[p.ident], s.found = fd, true
		if depth == 1 {
			s.tops[p.ident] = true
		}
	}
}

// markHelpers marks the leader of a command, and the processes that are the first
// in a namespace directly below the one of this process.
func (s *spaces) markHelpers(members []process, leader ident) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range members {
		m := &members[i]
		m.helper = m.ident == leader || s.tops[m.ident]
	}
}

// openFirst returns a pidfd of a process that is the first in a PID namespace, and
// the depth of the namespace below the one of this process. Depth 0 means that the
// process is not such a process. NSpid lists its pids, from the namespace that
// /proc shows to its own.
func openFirst(id ident) (fd, depth int) {
	pids := statusOf(id.pid)("NSpid")
	if len(pids) <= ownDepth() || pids[len(pids)-1] != "1" {
		return 0, 0
	}
	fd, err := unix.PidfdOpen(id.pid, 0)
	if err != nil {
		return 0, 0
	}
	if p, alive := read(id.pid); !alive || p.ident != id { // the pid may have been reused before it was opened
		_ = unix.Close(fd)
		return 0, 0
	}
	return fd, len(pids) - ownDepth()
}

var ownDepth = sync.OnceValue(func() int { return len(statusOf(os.Getpid())("NSpid")) })

// dropExited closes the pidfds of first processes that have exited.
func (s *spaces) dropExited() {
	for id, fd := range s.firsts {
		list := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if n, err := unix.Poll(list, 0); err == nil && n == 1 && list[0].Revents&unix.POLLIN != 0 {
			_ = unix.Close(fd)
			delete(s.firsts, id)
		}
	}
}

// ended reports whether there were namespaces and all of them have ended.
func (s *spaces) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropExited()
	return s.found && len(s.firsts) == 0
}

// living reports whether a namespace has not ended.
func (s *spaces) living() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropExited()
	return len(s.firsts) > 0
}

// kill kills the first processes; the kernel kills the others.
func (s *spaces) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, fd := range s.firsts {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
}

// release closes all pidfds.
func (s *spaces) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, fd := range s.firsts {
		_ = unix.Close(fd)
	}
	clear(s.firsts)
}
