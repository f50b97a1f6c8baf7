//go:build linux || darwin

package proc

import (
	"cmp"
	"os"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// tree finds the processes that came from one command, in the table of all.
// A process belongs to it when
//   - it was seen to belong before (and is the same by its start time), or
//   - its parent belongs, or
//   - its group or session was made by one that belongs, or
//   - it carries the stamp or the marker, or
//   - it came to us as an orphan in a session of its own, without a sign of
//     where from, and no other command runs that it could have come from.
//
// A process that began before the command cannot have come from it.
type tree struct {
	mu     sync.Mutex
	id     string // in the marker
	stamp  uint64 // 0 when there is none
	since  uint64 // when the command began
	leader ident
	mine   bool // started by this process, which orphans come to
	known  map[ident]process
	groups map[int]bool  // ids of groups and sessions that members made
	bare   map[ident]int // how often one was seen that bears no sign
}

// sure is how often a process must be seen without a sign before that is
// believed: in the moment of an exec there is none to be read.
const sure = 3

func newTree(id string, leader ident, since uint64) *tree {
	return &tree{id: id, leader: leader, since: since, known: make(map[ident]process), groups: make(map[int]bool), bare: make(map[ident]int)}
}

// byAge puts parents before their children.
func byAge(a, b process) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.pid, b.pid))
}

// scan returns the members, the oldest first: the living, and the dead that
// nobody has buried.
func (t *tree) scan(table []process) []process {
	t.mu.Lock()
	defer t.mu.Unlock()
	young := table[:0:0]
	byPID := make(map[int]process, len(table))
	for _, p := range table {
		if p.start >= t.since && p.pid != os.Getpid() && !isLeader(p.pid, t) {
			young = append(young, p)
			byPID[p.pid] = p
		}
	}
	slices.SortFunc(young, byAge)
	t.dropGoneGroups(young, byPID)
	members := make(map[int]bool)
	for first, grew := true, true; grew; first = false {
		grew = false
		for _, p := range young {
			related := members[p.parent] || t.groups[p.group] || t.groups[p.session]
			if members[p.pid] || !related && (!first || !t.bears(p)) {
				continue
			}
			members[p.pid], grew = true, true
			if p.pid == p.group || p.pid == p.session {
				t.groups[p.pid] = true
			}
		}
	}
	return t.remember(young, members)
}

// dropGoneGroups drops groups that no longer exist, so that a new group with
// the same number is not taken for one of ours.
func (t *tree) dropGoneGroups(young []process, byPID map[int]process) {
	used := make(map[int]bool)
	for _, p := range young {
		used[p.group], used[p.session] = true, true
	}
	for g := range t.groups {
		head, there := byPID[g]
		_, ours := t.known[head.ident]
		if !used[g] || (there && !ours && head.ident != t.leader) {
			delete(t.groups, g)
		}
	}
}

// bears reports whether a process is known, or bears a sign of its own. Signs
// are given at birth: one that was seen without them stays without.
func (t *tree) bears(p process) bool {
	if _, ok := t.known[p.ident]; ok || p.ident == t.leader {
		return true
	}
	if t.bare[p.ident] < sure {
		if t.stamp != 0 && t.stamp == stampOf(p.pid) || marked(p.pid, t.id) {
			return true
		}
		t.bare[p.ident]++
	}
	return t.mine && p.parent == os.Getpid() && p.session != ownSession() && isAlone(t)
}

// remember keeps the members for the next scan, by name.
func (t *tree) remember(young []process, members map[int]bool) []process {
	known := make(map[ident]process, len(members))
	var all []process
	for _, p := range young {
		if !members[p.pid] {
			continue
		}
		if p.name = nameOf(p.pid); p.dead {
			p.name = t.known[p.ident].name // the dead have none
		}
		known[p.ident] = p
		all = append(all, p)
	}
	t.known = known
	if len(t.bare) > 2*len(young) { // most of them are gone
		clear(t.bare)
	}
	return all
}

// look scans now, buries the dead that came to us, and returns the living.
func (t *tree) look() []process { return t.living(table()) }

func (t *tree) living(table []process) []process {
	var alive []process
	for _, p := range t.scan(table) {
		switch {
		case !p.dead:
			alive = append(alive, p)
		case p.parent == os.Getpid():
			bury(p.ident)
		}
	}
	return alive
}

// empty looks twice: a table is not read in one instant, and a process that is
// born while it is read may be missed once.
func (t *tree) empty() bool {
	for range 2 {
		if len(t.look()) > 0 {
			return false
		}
	}
	return true
}

// ask asks each process once: by its group where the group's head is there,
// since the kernel lets no fork slip through then; else one by one, parents
// before children: a shell that lost its child first would go on to its next
// command.
func ask(list []process) {
	groups := make(map[int]bool)
	for _, p := range list {
		// p.group may be older: the group that it has left is not to be asked.
		if now, ok := read(p.pid); ok && now.ident == p.ident && p.pid == now.group {
			groups[now.group] = unix.Kill(-now.group, unix.SIGTERM) == nil
		}
	}
	for _, p := range list {
		now, ok := read(p.pid)
		if ok && now.ident == p.ident && !groups[now.group] { // it may just have left
			signalProcess(p.ident, unix.SIGTERM)
		}
	}
}

// rouse has those go on who have halted: what they are asked is not heard before.
func rouse(list []process) {
	for _, p := range list {
		if p.halted {
			signalProcess(p.ident, unix.SIGCONT)
		}
	}
}

// kill halts everybody until nobody new appears, then kills them all: one that
// forks or brings back what dies cannot outrun it.
func (t *tree) kill() []process {
	halted := make(map[ident]bool)
	var alive []process
	for range 20 {
		alive = t.look()
		fresh := false
		for _, p := range alive {
			if !halted[p.ident] {
				halted[p.ident], fresh = true, true
				signalProcess(p.ident, unix.SIGSTOP)
			}
		}
		if !fresh {
			break
		}
	}
	for _, p := range alive {
		signalProcess(p.ident, unix.SIGKILL)
	}
	return alive
}
