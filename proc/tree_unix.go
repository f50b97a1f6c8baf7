//go:build linux || darwin

package proc

import (
	"cmp"
	"os"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// tree finds the processes of one command in the process table. A process
// belongs to the command if
//   - it belonged to it in an earlier scan (same pid and start time), or
//   - its parent belongs to it, or
//   - its process group or session was created by a member, or
//   - it carries the stamp or the marker, or
//   - this process adopted it as an orphan in another session, it carries neither
//     stamp nor marker, and no other command is running that it could have come
//     from.
//
// A process that started before the command never belongs to it.
type tree struct {
	mu      sync.Mutex
	id      string // contained in the marker
	stamp   uint64 // 0 if there is no stamp
	since   uint64 // start time of the command
	leader  ident
	own     bool // started by this process, which adopts its orphans
	members map[ident]process
	groups  map[int]bool  // ids of groups and sessions created by members
	bare    map[ident]int // number of scans in which a process had neither stamp nor marker
}

// sure is the number of scans without stamp and marker after which a process is
// no longer checked for them. During an exec they cannot be read.
const sure = 3

func newTree(id string, leader ident, since uint64) *tree {
	return &tree{id: id, leader: leader, since: since, members: make(map[ident]process), groups: make(map[int]bool), bare: make(map[ident]int)}
}

// byAge sorts parents before their children.
func byAge(a, b process) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.pid, b.pid))
}

// scan returns the members, the oldest first. Zombies that have not been reaped
// are included.
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
	return t.keepMembers(young, members)
}

// dropGoneGroups drops groups that no longer exist, so that a new group with
// the same id is not taken for a group of the command.
func (t *tree) dropGoneGroups(young []process, byPID map[int]process) {
	used := make(map[int]bool)
	for _, p := range young {
		used[p.group], used[p.session] = true, true
	}
	for g := range t.groups {
		head, exists := byPID[g]
		_, isMember := t.members[head.ident]
		if !used[g] || (exists && !isMember && head.ident != t.leader) {
			delete(t.groups, g)
		}
	}
}

// bears reports whether a process belongs to the command by itself: it was a
// member before, carries the stamp or the marker, or can only be an orphan of
// this command. Stamp and marker are set when a process starts; a process
// without them does not get them later.
func (t *tree) bears(p process) bool {
	if _, ok := t.members[p.ident]; ok || p.ident == t.leader {
		return true
	}
	if t.bare[p.ident] < sure {
		if t.stamp != 0 && t.stamp == stampOf(p.pid) || marked(p.pid, t.id) {
			return true
		}
		t.bare[p.ident]++
	}
	return t.own && p.parent == os.Getpid() && p.session != ownSession() && isAlone(t)
}

// keepMembers stores the members for the next scan and returns them with their
// names.
func (t *tree) keepMembers(young []process, members map[int]bool) []process {
	current := make(map[ident]process, len(members))
	var all []process
	for _, p := range young {
		if !members[p.pid] {
			continue
		}
		if p.name = nameOf(p.pid); p.dead {
			p.name = t.members[p.ident].name // a zombie has no command line
		}
		current[p.ident] = p
		all = append(all, p)
	}
	t.members = current
	if len(t.bare) > 2*len(young) { // most entries are of processes that are gone
		clear(t.bare)
	}
	return all
}

// scanNow scans the current table, reaps the zombies that this process adopted,
// and returns the living members.
func (t *tree) scanNow() []process { return t.living(table()) }

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

// empty scans twice: the table is not read atomically, and a process that
// starts during the read may be missed once.
func (t *tree) empty() bool {
	for range 2 {
		if len(t.scanNow()) > 0 {
			return false
		}
	}
	return true
}

// terminate sends SIGTERM to each process once. If the group leader is alive, the
// signal goes to the whole group, so that a concurrent fork cannot miss it.
// Otherwise the processes are signalled one by one, parents before children: a
// shell that lost its child first would continue with its next command.
func terminate(list []process) {
	groups := make(map[int]bool)
	for _, p := range list {
		// p.group may be outdated. A group that the process has left must not
		// be signalled.
		if now, ok := read(p.pid); ok && now.ident == p.ident && p.pid == now.group {
			groups[now.group] = unix.Kill(-now.group, unix.SIGTERM) == nil
		}
	}
	for _, p := range list {
		now, ok := read(p.pid)
		if ok && now.ident == p.ident && !groups[now.group] { // it may have just left its group
			signalProcess(p.ident, unix.SIGTERM)
		}
	}
}

// rouse sends SIGCONT to stopped processes, which do not act on SIGTERM before
// they continue.
func rouse(list []process) {
	for _, p := range list {
		if p.halted {
			signalProcess(p.ident, unix.SIGCONT)
		}
	}
}

// kill stops all processes with SIGSTOP until a scan finds no new ones, and
// then kills them, so that a process that forks or restarts others cannot
// escape.
func (t *tree) kill() []process {
	halted := make(map[ident]bool)
	var alive []process
	for range 20 {
		alive = t.scanNow()
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
