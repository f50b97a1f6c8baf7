//go:build linux || darwin

package proc

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// kin is all commands of this process, whichever keeper started them. Children
// that os/exec waits for are listed, so that nobody else buries them; whatever
// else becomes our child came to us as an orphan.
var kin = struct {
	sync.Mutex
	trees    map[*tree]bool
	leaders  map[int]*tree
	starting int // commands that may have been started and are not listed yet
}{trees: make(map[*tree]bool), leaders: make(map[int]*tree)}

// starting announces that a command is about to be started. Its process is in a
// session of its own before it is listed; until the returned function is called,
// it is taken for nobody's orphan.
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

// waited says that os/exec has buried the leader: its number is free.
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

// isLeader reports whether a process is the leader of another command.
func isLeader(pid int, but *tree) bool {
	kin.Lock()
	defer kin.Unlock()
	t := kin.leaders[pid]
	return t != nil && t != but
}

// isAlone reports whether no other command runs or is being started.
func isAlone(t *tree) bool {
	kin.Lock()
	defer kin.Unlock()
	return kin.trees[t] && len(kin.trees) == 1 && kin.starting == 0
}

var burial sync.Mutex

// bury waits for a dead orphan of ours, by its own number and only if it still
// is the one: its number cannot be given away before somebody buries it.
func bury(id ident) {
	burial.Lock()
	defer burial.Unlock()
	if p, ok := read(id.pid); !ok || p.ident != id || !p.dead || p.parent != os.Getpid() || isLeader(id.pid, nil) {
		return
	}
	_, _ = unix.Wait4(id.pid, nil, unix.WNOHANG, nil)
}

// ownSession is the session that our children are born into.
var ownSession = sync.OnceValue(func() int {
	sid, _ := unix.Getsid(0)
	return sid
})
