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
	firsts  map[ident]first // first processes that have not exited
	found   bool            // there was at least one namespace
}

// first is the first process of a PID namespace.
type first struct {
	fd  int  // a pidfd
	top bool // the namespace is directly below the one of this process
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
		if one, ok := openFirst(p.ident); ok {
			if s.firsts == nil {
				s.firsts = make(map[ident]first)
			}
			s.firsts[p.ident], s.found = one, true
		}
	}
}

// markHelpers marks and names the processes that are the first in a namespace
// directly below the one of this process.
func (s *spaces) markHelpers(members []process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range members {
		if m := &members[i]; s.firsts[m.ident].top {
			m.helper, m.name = true, "sandbox"
		}
	}
}

// openFirst opens a process that is the first in a PID namespace below the one of
// this process. NSpid lists its pids, from the namespace that /proc shows to its
// own.
func openFirst(id ident) (first, bool) {
	pids := statusOf(id.pid)("NSpid")
	if len(pids) <= ownDepth() || pids[len(pids)-1] != "1" {
		return first{}, false
	}
	fd, err := unix.PidfdOpen(id.pid, 0)
	if err != nil {
		return first{}, false
	}
	if p, alive := read(id.pid); !alive || p.ident != id { // the pid may have been reused before it was opened
		_ = unix.Close(fd)
		return first{}, false
	}
	return first{fd: fd, top: len(pids) == ownDepth()+1}, true
}

var ownDepth = sync.OnceValue(func() int { return len(statusOf(os.Getpid())("NSpid")) })

// dropExited closes the pidfds of first processes that have exited.
func (s *spaces) dropExited() {
	for id, one := range s.firsts {
		list := []unix.PollFd{{Fd: int32(one.fd), Events: unix.POLLIN}}
		if n, err := unix.Poll(list, 0); err == nil && n == 1 && list[0].Revents&unix.POLLIN != 0 {
			_ = unix.Close(one.fd)
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
	for _, one := range s.firsts {
		_ = unix.PidfdSendSignal(one.fd, unix.SIGKILL, nil, 0)
	}
}

// release closes all pidfds.
func (s *spaces) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.firsts {
		_ = unix.Close(one.fd)
	}
	clear(s.firsts)
}
