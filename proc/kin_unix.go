//go:build linux || darwin

package proc

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// kin contains all commands of this process, of all keepers. leaders contains
// the children that os/exec waits for, so that bury does not reap them. Any
// other child of this process was adopted as an orphan.
var kin = struct {
	sync.Mutex
	trees    map[*tree]bool
	leaders  map[int]*tree
	starting int // commands that may have started but are not listed yet
}{trees: make(map[*tree]bool), leaders: make(map[int]*tree)}

// starting marks the start of a command. Its process is in a new session before
// it is listed in kin; until the returned function is called, no tree takes it
// for an orphan.
func starting() func() {
	kin.Lock()
	defer kin.Unlock()
	kin.starting++
	return func() {
		kin.Lock()
		defer kin.Unlock()
		kin.starting--
	}
}

func welcome(t *tree) {
	kin.Lock()
	defer kin.Unlock()
	kin.trees[t], kin.leaders[t.leader.pid] = true, t
}

// waited removes the leader from the list: os/exec has reaped it, and its pid
// can be reused.
func waited(t *tree) {
	kin.Lock()
	defer kin.Unlock()
	if kin.leaders[t.leader.pid] == t {
		delete(kin.leaders, t.leader.pid)
	}
}

func farewell(t *tree) {
	kin.Lock()
	defer kin.Unlock()
	delete(kin.trees, t)
}

// isLeader reports whether a process is the leader of a command other than but.
func isLeader(pid int, but *tree) bool {
	kin.Lock()
	defer kin.Unlock()
	t := kin.leaders[pid]
	return t != nil && t != but
}

// isAlone reports whether t is the only command: no other one is running or
// starting.
func isAlone(t *tree) bool {
	kin.Lock()
	defer kin.Unlock()
	return kin.trees[t] && len(kin.trees) == 1 && kin.starting == 0
}

var burial sync.Mutex

// bury reaps a dead orphan that this process adopted, after checking that the
// pid still refers to it. The pid cannot be reused before the process is
// reaped.
func bury(id ident) {
	burial.Lock()
	defer burial.Unlock()
	if p, ok := read(id.pid); !ok || p.ident != id || !p.dead || p.parent != os.Getpid() || isLeader(id.pid, nil) {
		return
	}
	_, _ = unix.Wait4(id.pid, nil, unix.WNOHANG, nil)
}

// ownSession returns the session of this process, which its children start in.
var ownSession = sync.OnceValue(func() int {
	sid, _ := unix.Getsid(0)
	return sid
})
