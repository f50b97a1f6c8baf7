// Package child hosts other programs' agents: it gives each session a process of
// the agent, keeps it across turns, and sees that a stop holds whatever the agent
// makes of it.
//
// A stop is told to the agent once, in its own protocol, as soon as it can hear
// it. When it has given its word, whatever it started in this turn and left
// running is ended, and proved gone; the agent itself goes on. One that does not
// give its word in time is ended with all that came from it, and the next prompt
// starts it anew and goes on with the agent's own session, where it can.
package child

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/proc"
)

// Definition says how an agent is started.
type Definition struct {
	Name    string
	Command []string
	Env     []string // besides what every program needs
	// Renew: after a stop the agent's own session is given up, because what it
	// keeps of a stopped turn is not what a model accepts. The next prompt begins
	// a new one, and is told the conversation.
	Renew bool
}

// Speaker speaks an agent's protocol with one process of it. Its methods are
// called one after the other, but for Close.
type Speaker interface {
	// Open says hello and readies a session in dir: the agent's own one with
	// this id, or, where that is "" or gone, a new one. It returns the id.
	Open(ctx context.Context, s bellcord.Session, own string) (string, error)
	// Turn has the agent answer a prompt, and returns when it says that it is
	// done. When ctx ends the agent is told once, at the first moment in which
	// it can hear it, and Turn returns when it has given its word; whatever that
	// word is, the turn is stopped. ErrDeaf means that it gave none in time.
	Turn(ctx context.Context, w *hub.Work, text string) error
	// Close lets go of the process, which is about to be ended.
	Close()
}

// Process is an agent's process as its speaker has it.
type Process struct {
	In   Writer          // to its stdin; never blocks
	Out  Reader          // from its stdout
	Gone <-chan struct{} // closed when it is no more
}

// What a stop is answered with.
var (
	// ErrDeaf means that an agent did not give its word within Patience.
	ErrDeaf = errors.New("the agent did not respond to the stop")
	// ErrGone means that the process ended while it was needed.
	ErrGone = errors.New("the agent's process ended")
)

// Patience is how long a stop waits for an agent's word before its process is
// ended: within the hub's grace there has to be time for that, too.
const Patience = 3 * time.Second

// Agent is a bellcord.Agent that hosts another.
type Agent struct {
	Definition Definition
	Keeper     *proc.Keeper
	// Speak returns a speaker for a new process.
	Speak func(Process) Speaker
	// Idle is how long a process without a turn is kept; 0 means 15 minutes.
	Idle time.Duration
	// Silent agents are not told, after a stop, what they had said before it.
	Silent bool
	Logger *slog.Logger

	mu     sync.Mutex
	hosts  map[bellcord.SessionID]*host
	closed bool
}

// errClosed answers a prompt that came while everything is being ended.
var errClosed = errors.New("the hosted agents are shutting down")

// Run implements bellcord.Agent.
func (a *Agent) Run(ctx context.Context, w *hub.Work) error {
	h, err := a.holdHost(w.Session.ID)
	if err != nil {
		return err
	}
	defer a.releaseHost(h)
	if w.Prompt.Task != bellcord.TaskAnswer {
		return errors.New(a.Definition.Name + " keeps its own conversation: Bellcord cannot compact it")
	}
	l, err := h.ready(ctx, w)
	if err != nil {
		return err
	}
	text, err := a.prompt(ctx, w, l.fresh)
	if err != nil {
		return err
	}
	l.fresh = false
	return h.turn(ctx, w, l, text)
}

// holdHost takes the session's host, and keeps it from being reaped.
func (a *Agent) holdHost(id bellcord.SessionID) (*host, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, errClosed
	}
	if a.hosts == nil {
		a.hosts = map[bellcord.SessionID]*host{}
	}
	h := a.hosts[id]
	if h == nil {
		h = &host{agent: a}
		a.hosts[id] = h
	}
	h.turns++
	if h.reaper != nil {
		h.reaper.Stop()
	}
	return h, nil
}

// releaseHost starts the time after which an idle process is ended. The reaper looks
// again under the lock: a turn that came meanwhile keeps it.
func (a *Agent) releaseHost(h *host) {
	a.mu.Lock()
	defer a.mu.Unlock()
	h.turns--
	idle := a.Idle
	if idle == 0 {
		idle = 15 * time.Minute
	}
	h.reaper = time.AfterFunc(idle, func() {
		a.mu.Lock()
		var old *life
		if h.turns == 0 {
			old, h.life = h.life, nil
		}
		a.mu.Unlock()
		old.endProcess(nil)
	})
}

// End ends a session's process: the session is closed.
func (a *Agent) End(id bellcord.SessionID) {
	a.mu.Lock()
	h := a.hosts[id]
	delete(a.hosts, id)
	a.mu.Unlock()
	h.endSession()
}

// Close ends all processes at once and starts no more.
func (a *Agent) Close() {
	a.mu.Lock()
	a.closed = true
	hosts := a.hosts
	a.hosts = nil
	a.mu.Unlock()
	var all sync.WaitGroup
	for _, h := range hosts {
		all.Go(h.endSession)
	}
	all.Wait()
}
