package proc

import (
	"strings"
	"time"
	"unicode/utf8"
)

// killing is how long an end may take after the grace. What is alive then
// cannot be killed: it belongs to another user, or hangs in the kernel.
const killing = 4 * time.Second

// ident tells a process from a later one with the same number.
type ident struct {
	pid   int
	start uint64 // in the system's own unit; only compared
}

// process is one line of the system's table.
type process struct {
	ident
	parent, group, session int
	dead                   bool // a zombie: gone, but not yet buried
	halted                 bool
	name                   string // filled in for those that are ours
}

// roll is everybody that an end has met.
type roll struct {
	order []ident
	who   map[ident]*Ended
	young map[ident]bool // asked between their fork and their exec
}

// asked notes who was asked while it still ran its parent's program. A signal
// that the parent would have handled is lost in the exec that follows.
func (l *roll) asked(list []process) {
	names := make(map[int]string)
	for _, p := range list {
		names[p.pid] = p.name
	}
	for _, p := range list {
		if names[p.parent] == p.name {
			l.young[p.ident] = true
		}
	}
}

// late are those who have to be asked now: who was born in the moment of asking
// and has lost its parent since (one that has its parent was started to clean
// up), and who was asked too young and runs a program of its own by now.
func (l *roll) late(alive []process) []process {
	late := l.addAlive(orphans(alive), Terminated)
	for _, p := range alive {
		if l.young[p.ident] && l.who[p.ident].Name != p.name {
			l.who[p.ident].Name = p.name
			delete(l.young, p.ident)
			late = append(late, p)
		}
	}
	return late
}

// addAlive records the living processes and how they will be ended. It
// returns the new ones.
func (l *roll) addAlive(alive []process, how How) []process {
	var fresh []process
	for _, p := range alive {
		if l.who[p.ident] == nil {
			l.who[p.ident] = &Ended{PID: p.pid, Name: p.name}
			l.order = append(l.order, p.ident)
			fresh = append(fresh, p)
		}
		l.who[p.ident].How = how
	}
	return fresh
}

// split tells those who are gone from those who are alive.
func (l *roll) split(alive []process) (ended, survivors []Ended) {
	l.addAlive(alive, Killed)
	living := make(map[ident]bool)
	for _, p := range alive {
		living[p.ident] = true
	}
	for _, id := range l.order {
		if living[id] {
			survivors = append(survivors, *l.who[id])
		} else {
			ended = append(ended, *l.who[id])
		}
	}
	return ended, survivors
}

// orphans are those of them whose parent is not among them.
func orphans(alive []process) []process {
	living := make(map[int]bool)
	for _, p := range alive {
		living[p.pid] = true
	}
	var all []process
	for _, p := range alive {
		if !living[p.parent] {
			all = append(all, p)
		}
	}
	return all
}

// ladder ends the crowd: it asks everybody who is there, once;
// gives them the grace, or until force is closed; kills; and looks until nobody
// is left. It takes no longer than the grace and the time for killing, and one
// more look.
func ladder(p crowd, grace time.Duration, force <-chan struct{}) Report {
	began := time.Now()
	met := &roll{who: make(map[ident]*Ended), young: make(map[ident]bool)}
	if first := met.addAlive(p.look(), Terminated); len(first) > 0 {
		met.asked(first)
		if !p.ask(first) {
			grace = 0
		}
	}
	gone := until(func() bool {
		alive := p.look()
		if len(alive) == 0 && p.empty() {
			return true
		}
		if late := met.late(alive); len(late) > 0 {
			p.ask(late)
		}
		rouse(alive) // one may have halted in the moment of asking, or because of it
		return false
	}, grace, force)
	// At least once, also where a machine is so busy that looking took all the
	// time: a bound is for what cannot be killed, not for what was not tried.
	bound := began.Add(grace + killing)
	for tried := false; !gone && (!tried || time.Now().Before(bound)); tried = true {
		met.addAlive(p.kill(), Killed)
		gone = until(p.empty, 100*time.Millisecond, nil)
	}
	r := Report{Proof: p.proof()}
	var alive []process
	if !gone {
		alive = p.look()
	}
	r.Ended, r.Survivors = met.split(alive)
	r.Took = time.Since(began)
	return r
}

// until asks again and again, soon at first, whether something holds; it gives
// up when the time is over or hurry is closed.
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

// shorten makes a command line fit to be shown.
func shorten(s string) string {
	const most = 120
	s = strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}
