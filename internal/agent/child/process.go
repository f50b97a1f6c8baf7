package child

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/proc"
)

// Sharer is a Speaker whose agent can have several sessions in one process. The
// Speaker of a new process has no session: each session gets one of ForSession.
type Sharer interface {
	Speaker
	// Shares reports whether another session may be opened on the process: the
	// agent can continue its sessions in another process, and the client is the one
	// of the handshake. It is false before the handshake.
	Shares() bool
	// ForSession returns a Speaker for a session on the same process. unprompted is
	// Process.Unprompted of the session.
	ForSession(unprompted func()) Speaker
	// Leave closes the session on the process, so that another process can open it.
	// No turn of the session is running.
	Leave()
}

// process is one process of an agent, with the sessions that are open on it.
//
// Inside of an agent it is not known which of its processes belongs to which session.
// So a turn, and the opening of a session, use a process alone, and everything that is
// started meanwhile belongs to them. A session whose turn leaves processes owns the
// process from then on: what these do later must not happen in the turn of another
// session. The other sessions move to another process with their next prompt.
type process struct {
	agent   *Agent
	dirs    []string // that it was started for
	running *proc.Running
	first   Speaker // for requests without a session; also for the session if it is no Sharer
	pipe    *pipe
	stderr  *tail

	idle *proc.Mark // the processes at the end of the last use; belongs to the user

	// Protected by Agent.mu.
	lives  map[*life]bool  // the sessions that are open on it
	left   map[string]bool // the agent's sessions that have left it: its state of them is old
	user   *host           // uses it alone; nil if none does
	uses   int             // of the user
	turns  int             // uses that are turns; the others open a session
	freed  chan struct{}   // closed when the user has ended its uses
	shut   bool            // no other session may be opened on it
	owner  *host           // the only session that may use it; nil for any
	since  proc.Mark       // what the owner's turns have started; zero for everything
	holds  int             // number of requests without a session
	reaper *time.Timer
	ended  bool // it is being ended
}

// startProcess starts a process in the first directory. No session is open on it.
func (a *Agent) startProcess(dirs []string) (*process, error) {
	p := &process{agent: a, dirs: dirs, stderr: &tail{}, lives: map[*life]bool{}, left: map[string]bool{}}
	running, err := a.Keeper.Start(proc.Command{
		Args: a.Definition.Command, Dir: dirs[0], Env: a.Definition.environment(), Bare: true,
		Output: p.stderr.appendTail, Owner: "agent " + a.Definition.Name, Name: a.Definition.Name,
	}, dirs)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", a.Definition.Name, err)
	}
	p.running, p.pipe = running, newPipe(running.Stdin)
	speak := Process{In: p.pipe, Out: bufio.NewReaderSize(running.Stdout, 64<<10), Gone: running.Done()}
	if a.Turns != nil {
		speak.Unprompted = func() { a.wakeOnly(p) }
	}
	p.first = a.NewSpeaker(speak)
	return p, nil
}

// wakeOnly is wake for a process of one session.
func (a *Agent) wakeOnly(p *process) {
	a.mu.Lock()
	all := slices.Collect(maps.Keys(p.lives))
	a.mu.Unlock()
	for _, l := range all {
		a.wake(l)
	}
}

// pick returns a process for a session, which uses it from now on, or nil. own is the
// agent's session. If wait is not nil, a process opens another session; it can be
// used when wait is closed. The caller holds a.mu.
func (a *Agent) pick(h *host, s bellcord.Session, own string) (p *process, wait <-chan struct{}) {
	for _, p := range a.processes {
		switch {
		case !p.fits(s, own):
		case p.isOpening():
			wait = p.freed
		case (len(p.lives) == 0 || p.shares()) && p.take(h, false):
			return p, nil
		}
	}
	return nil, wait
}

// fits reports whether a session could be opened on the process. The caller holds
// Agent.mu.
func (p *process) fits(s bellcord.Session, own string) bool {
	if p.ended || p.shut || p.gone() || p.left[own] || p.agent.InDir && !slices.Equal(p.dirs, dirsOf(s)) {
		return false
	}
	_, can := p.first.(Sharer)
	for l := range p.lives {
		if !can || p.agent.Definition.Renew || p.owner != nil || l.person != s.Owner {
			return false
		}
	}
	return true
}

func (p *process) shares() bool {
	s, can := p.first.(Sharer)
	return can && s.Shares()
}

// isOpening reports whether the process opens a session, and runs no turn. The caller
// holds Agent.mu.
func (p *process) isOpening() bool { return p.user != nil && p.turns == 0 }

// take lets a session use the process alone, until release, and reports whether it may.
// The caller holds Agent.mu.
func (p *process) take(h *host, turn bool) bool {
	switch {
	case p.user == h:
	case p.user != nil || p.owner != nil && p.owner != h:
		return false
	default:
		p.user, p.freed = h, make(chan struct{})
		for l := range p.lives {
			if l.host != h {
				l.kept = nil // nothing lives that its turns have left, and h may leave processes
			}
		}
	}
	p.uses++
	if turn {
		p.turns++
	}
	return true
}

// release ends a use of the process.
func (p *process) release(turn bool) {
	p.agent.mu.Lock()
	defer p.agent.mu.Unlock()
	p.uses--
	if turn {
		p.turns--
	}
	if p.uses == 0 {
		p.user = nil
		close(p.freed)
	}
	p.watchIdle()
}

// settleTime is how long processes that a turn has left may take to exit before they
// count as left.
const settleTime = 2 * time.Second

// settle makes a session the owner of the process if its turn, which began with the
// mark, has left processes. An owner that has left none is not the owner any more.
// The session uses the process. If there are processes, settle does not wait for
// them, but others do not use the process before it is known whether they stay.
func (p *process) settle(h *host, before proc.Mark) {
	if !p.shares() || p.gone() {
		return
	}
	p.agent.mu.Lock()
	owns := p.owner == h
	if owns {
		before = p.since
	}
	p.agent.mu.Unlock()
	clean := len(p.running.Since(before)) == 0
	p.agent.mu.Lock()
	defer p.agent.mu.Unlock()
	switch {
	case clean && owns:
		p.owner, p.since = nil, proc.Mark{}
	case !clean && !owns && p.take(h, false):
		go p.settleLater(h, before)
	}
}

// settleLater is settle for a turn that has left processes. It ends a use of the
// process.
func (p *process) settleLater(h *host, before proc.Mark) {
	defer p.release(false)
	tick, late := time.NewTicker(20*time.Millisecond), time.NewTimer(settleTime)
	defer tick.Stop()
	defer late.Stop()
	for len(p.running.Since(before)) > 0 {
		select {
		case <-tick.C:
		case <-p.running.Done():
			return
		case <-late.C:
			p.agent.mu.Lock()
			defer p.agent.mu.Unlock()
			if p.owner == nil {
				p.owner, p.since = h, before
			}
			return
		}
	}
}

// leaves returns the living processes that the session's turns have left: those of
// the turn that began with the mark, and of the turns before it. before is nil for a
// stopped turn, which leaves none. The session uses the process alone.
func (l *life) leaves(before *proc.Mark) []bellcord.Process {
	if l.gone() {
		return nil
	}
	l.agent.mu.Lock()
	if l.kept != nil {
		before = l.kept
	}
	l.agent.mu.Unlock()
	if before == nil {
		return nil
	}
	var all []bellcord.Process
	for _, p := range l.running.Since(*before) {
		all = append(all, bellcord.Process{PID: p.PID, Name: p.Name})
	}
	l.agent.mu.Lock()
	defer l.agent.mu.Unlock()
	if l.kept = nil; len(all) > 0 {
		l.kept = before
	}
	return all
}

// attach adds a session that uses the process. The caller holds Agent.mu.
func (p *process) attach(h *host, s bellcord.Session, recorded string) *life {
	l := &life{process: p, host: h, person: s.Owner, recorded: recorded, opened: make(chan struct{}), speaker: p.first}
	if s, can := p.first.(Sharer); can {
		var unprompted func()
		if p.agent.Turns != nil {
			unprompted = func() { p.agent.wake(l) }
		}
		l.speaker = s.ForSession(unprompted)
	}
	p.lives[l] = true
	return l
}

// detach removes the process and its sessions from the agent. Their next prompts open
// them on other processes. The caller holds Agent.mu, and ends the process then.
func (p *process) detach() {
	for l := range p.lives {
		if l.host.life == l {
			l.host.life = nil
		}
	}
	p.agent.processes = slices.DeleteFunc(p.agent.processes, func(one *process) bool { return one == p })
	p.ended = true
	if p.reaper != nil {
		p.reaper.Stop()
	}
}

// watchIdle starts the time after which the process is ended if it is idle. The caller
// holds Agent.mu.
func (p *process) watchIdle() {
	idle := p.agent.Idle
	if idle == 0 {
		idle = 15 * time.Minute
	}
	switch {
	case idle < 0 || p.ended:
	case p.reaper == nil:
		p.reaper = time.AfterFunc(idle, p.endIdle)
	default:
		p.reaper.Reset(idle)
	}
}

// endIdle ends the process, unless something uses it: that starts the time again at
// its end.
func (p *process) endIdle() {
	p.agent.mu.Lock()
	busy := p.holds > 0 || p.user != nil
	for l := range p.lives {
		busy = busy || l.host.turns > 0
	}
	if !busy {
		p.detach()
	}
	p.agent.mu.Unlock()
	if !busy {
		p.endProcess(nil)
	}
}
