package proc

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// killing is the time limit for the kill phase, after the grace period. A
// process that is alive after it cannot be killed: it belongs to another user,
// or it is blocked in the kernel.
const killing = 4 * time.Second

// ident identifies a process even if its pid is reused later.
type ident struct {
	pid   int
	start uint64 // in the system's own unit; only used for comparison
}

// process is one entry of the system's process table.
type process struct {
	ident
	parent, group, session int
	dead                   bool // a zombie: exited, but not reaped
	halted                 bool
	helper                 bool   // of a sandbox: starts the command, and ends after it
	name                   string // only set for processes of a command
}

// roll records every process that a ladder has found.
type roll struct {
	order   []ident
	ended   map[ident]*Ended
	young   map[ident]bool // received SIGTERM between fork and exec
	helpers map[ident]bool
	command ident // started by a helper
}

func newRoll() *roll {
	return &roll{ended: make(map[ident]*Ended), young: make(map[ident]bool), helpers: make(map[ident]bool)}
}

// markTerminated records the processes among those that receive SIGTERM which still run
// their parent's program. If the parent handles that signal, the child loses it in
// the exec that follows.
func (l *roll) markTerminated(signalled, alive []process) {
	names := make(map[int]string)
	for _, p := range alive {
		names[p.pid] = p.name
	}
	for _, p := range signalled {
		if names[p.parent] == p.name {
			l.young[p.ident] = true
		}
	}
}

// late returns the processes that need SIGTERM now. These are processes that
// were forked during the first round of signals and have lost their parent
// since (one that still has its parent was started to clean up), a command that
// its helper has started since, and processes that received SIGTERM between fork
// and exec and run another program now. A helper that has started nothing is
// among them, each time.
func (l *roll) late(alive []process) []process {
	late := l.addAlive(orphans(alive), Terminated)
	l.markTerminated(late, alive)
	for _, p := range alive {
		if l.young[p.ident] && l.ended[p.ident].Name != p.name {
			l.ended[p.ident].Name = p.name
			delete(l.young, p.ident)
			late = append(late, p)
		}
	}
	return append(late, idleHelpers(alive)...)
}

// idleHelpers returns the helpers that have no child in alive.
func idleHelpers(alive []process) []process {
	parents := make(map[int]bool)
	for _, p := range alive {
		parents[p.parent] = true
	}
	return slices.DeleteFunc(slices.Clone(alive), func(p process) bool { return !p.helper || parents[p.pid] })
}

// addAlive records the living processes and how they will be ended. It returns
// those that were not recorded before.
func (l *roll) addAlive(alive []process, how How) []process {
	var fresh []process
	l.findCommand(alive)
	for _, p := range alive {
		if l.ended[p.ident] == nil {
			l.ended[p.ident] = &Ended{PID: p.pid, Name: p.name}
			l.order = append(l.order, p.ident)
			fresh = append(fresh, p)
		}
		l.ended[p.ident].How = how
		l.helpers[p.ident] = l.helpers[p.ident] || p.helper
	}
	return fresh
}

// findCommand records the command of a sandbox: the oldest process that a helper
// has started.
func (l *roll) findCommand(alive []process) {
	helpers := make(map[int]bool)
	for _, p := range alive {
		helpers[p.pid] = p.helper
	}
	for _, p := range alive {
		if !p.helper && helpers[p.parent] && (l.command.pid == 0 || p.start < l.command.start) {
			l.command = p.ident
		}
	}
}

// split separates the recorded processes into ended and alive. Helpers that have
// ended are left out: a command has the same processes with and without a sandbox.
func (l *roll) split(alive []process) (ended, survivors []Ended) {
	l.addAlive(alive, Killed)
	living := make(map[ident]bool)
	for _, p := range alive {
		living[p.ident] = true
	}
	for _, id := range l.order {
		switch {
		case living[id]:
			survivors = append(survivors, *l.ended[id])
		case !l.helpers[id]:
			ended = append(ended, *l.ended[id])
		}
	}
	return ended, survivors
}

// orphans returns the processes in alive that have no parent in alive, or a
// helper.
func orphans(alive []process) []process {
	living := make(map[int]bool)
	for _, p := range alive {
		living[p.pid] = !p.helper
	}
	var all []process
	for _, p := range alive {
		if !living[p.parent] {
			all = append(all, p)
		}
	}
	return all
}

// ladder ends all processes of p. It sends SIGTERM to each of them once, waits
// until they are gone, the grace period expires or force is closed, and then
// kills the rest until none is left. It takes no longer than the grace period,
// the limit for killing, and one more scan.
func ladder(p crowd, grace time.Duration, force <-chan struct{}) Report {
	began := time.Now()
	met := newRoll()
	if first := met.addAlive(p.scan(), Terminated); len(first) > 0 {
		met.markTerminated(first, first)
		if !p.terminate(first) {
			grace = 0
		}
	}
	empty := until(func() bool {
		alive := p.scan()
		if len(alive) == 0 && p.empty() {
			return true
		}
		if late := met.late(alive); len(late) > 0 {
			p.terminate(late)
		}
		rouse(alive) // a process may have stopped itself before or because of SIGTERM
		return false
	}, grace, force)
	// Kill at least once, even if the machine is so busy that the scans took
	// all the time: the limit is meant for processes that cannot be killed.
	bound := began.Add(grace + killing)
	for tried := false; !empty && (!tried || time.Now().Before(bound)); tried = true {
		met.addAlive(p.kill(), Killed)
		empty = until(p.empty, 100*time.Millisecond, nil)
	}
	r := Report{Proof: p.proof(), command: met.command.pid}
	var alive []process
	if !empty {
		alive = p.scan()
	}
	r.Ended, r.Survivors = met.split(alive)
	r.Took = time.Since(began)
	return r
}

// until polls holds, with growing pauses, until it returns true. When the time
// is over or hurry is closed, it returns the result of one last call.
func until(holds func() bool, most time.Duration, hurry <-chan struct{}) bool {
	over := time.NewTimer(most)
	defer over.Stop()
	pause := time.Millisecond
	next := time.NewTimer(pause)
	defer next.Stop()
	for !holds() {
		select {
		case <-over.C:
			return holds()
		case <-hurry:
			return holds()
		case <-next.C:
			pause = min(2*pause, 20*time.Millisecond)
			next.Reset(pause)
		}
	}
	return true
}

// shorten cuts a command line to a length that can be displayed.
func shorten(s string) string {
	const most = 120
	s = strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}
