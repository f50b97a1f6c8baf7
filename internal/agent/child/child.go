// Package child hosts the agents of other programs: it runs their processes, keeps
// them across turns, and makes every stop effective, however the agent reacts to
// it. Sessions with the same directories share a process if the agent allows it, but
// not during their turns: see process.
//
// A stop is sent to the agent in the agent's protocol, as soon as the agent can
// process it. When the agent has responded, the processes that it started in
// this turn and left running are ended and proven to be gone; the agent itself
// keeps running. An agent that does not respond in time is ended with all of
// its descendants. The next prompt then starts a new process and resumes the
// agent's session if possible.
package child

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/undo"
	"github.com/bellcord/bellcord/proc"
)

// Definition describes how an agent is started.
type Definition struct {
	Name    string
	Command []string
	Env     []string // added to the basic variables (PATH, HOME, ...)
	// Renew discards the agent's session after a stop, because what the agent
	// keeps of a stopped turn is not accepted by the model. The next prompt
	// starts a new session and includes the conversation so far.
	Renew bool
}

// Speaker implements an agent's protocol for one session. Only Close may be
// called concurrently with other methods.
type Speaker interface {
	// Open performs the handshake and opens a session: the agent's session with
	// the id own or, if own is "" or that session is gone, a new one. It
	// returns the id of the session.
	Open(ctx context.Context, s bellcord.Session, own string) (string, error)
	// Turn sends a prompt to the agent and returns when the agent has completed
	// it. When ctx is done, Turn sends a stop to the agent, as soon as the
	// agent can process it, and returns when the agent has responded; whatever
	// the response is, the turn is stopped. Turn may repeat the stop if the
	// agent does not act on it. It returns ErrDeaf if the agent did not respond
	// in time.
	Turn(ctx context.Context, w *hub.Work, p Prompt) error
	// Close releases the process, which is about to be ended.
	Close()
}

// Prompt is a prompt for an agent. Note is a text for the agent about the
// conversation before the prompt, or "".
type Prompt struct {
	bellcord.Prompt
	Note string
}

// Starter starts the agent's processes. dirs are the directories of the session;
// the first is that of the command.
type Starter interface {
	Start(c proc.Command, dirs []string) (*proc.Running, error)
}

// Unconfined is a Starter without a sandbox.
type Unconfined struct{ Keeper *proc.Keeper }

// Start implements Starter.
func (u Unconfined) Start(c proc.Command, _ []string) (*proc.Running, error) {
	return u.Keeper.Start(c)
}

// Process is an agent's process, as passed to its Speaker.
type Process struct {
	In   Writer          // writes to stdin; never blocks
	Out  Reader          // reads from stdout
	Gone <-chan struct{} // closed when the process has ended
	// Unprompted is called when the agent works although no turn runs: see
	// Unprompted. It does not block. nil if such work cannot be recorded.
	Unprompted func()
}

// Errors that Speaker.Turn returns.
var (
	// ErrDeaf means that the agent did not respond to a stop within Patience,
	// or not soon enough after a forced stop.
	ErrDeaf = errors.New("the agent did not respond to the stop")
	// ErrGone means that the agent's process ended during the turn.
	ErrGone = errors.New("the agent's process ended")
)

// Patience is how long a stop waits for the agent's response before the process
// is ended. It is shorter than the hub's grace period, which must also suffice
// for ending the process.
const Patience = 3 * time.Second

// Agent is a hub.Agent that runs another program's agent.
type Agent struct {
	Definition Definition
	Keeper     Starter
	// NewSpeaker returns a Speaker for a new process.
	NewSpeaker func(Process) Speaker
	// InDir means that a process works in the directories that it was started for:
	// the agent's protocol cannot name others, or its sandbox contains only these.
	InDir bool
	// Idle is how long a process without a turn is kept: 0 means 15 minutes, a
	// negative time as long as the session is open.
	Idle time.Duration
	// Turns accepts the turns of work that an agent begins without a prompt; nil
	// ignores such work.
	Turns Turns
	// Undo records the changes of turns to files; nil records nothing.
	Undo *undo.Recorder
	// Sandbox describes how the agent is confined; nil if no sandbox is configured.
	Sandbox *bellcord.Sandbox
	// Silent sends prompts unchanged: without a note about the previous,
	// stopped turn, and without the earlier conversation.
	Silent bool
	Logger *slog.Logger

	starting sync.Mutex // held while a process without a session is started

	mu        sync.Mutex
	hosts     map[bellcord.SessionID]*host
	processes []*process
	closed    bool
}

// wholeTurn is the name of a turn's only call in the record of changes: what an
// agent does inside of a turn is not known in advance.
const wholeTurn = "turn"

// errClosed is returned for a prompt that arrives during shutdown.
var errClosed = errors.New("the hosted agents are shutting down")

// Run implements hub.Agent.
func (a *Agent) Run(ctx context.Context, w *hub.Work) error {
	h, err := a.holdHost(w.Session.ID)
	if err != nil {
		return err
	}
	defer a.releaseHost(h)
	switch w.Prompt.Task {
	case bellcord.TaskCompact:
		return errors.New(a.Definition.Name + " keeps its own conversation: Bellcord cannot compact it")
	case bellcord.TaskImport:
		return h.importConversation(ctx, w)
	case bellcord.TaskCommand:
		return errors.New(a.Definition.Name + " runs its commands itself: use ! in a session of the built-in agent")
	case bellcord.TaskUnprompted:
		return h.runUnprompted(ctx, w)
	case bellcord.TaskAnswer:
	}
	h.setLimits(w.Prompt)
	if a.Sandbox != nil {
		w.Report().AddSandbox(*a.Sandbox)
	}
	record := a.Undo.Turn(w.Session, w.Turn, w.Report())
	defer record.Close()
	record.Warm(0) // while the process starts
	l, err := h.ready(ctx, w)
	if err != nil {
		return err
	}
	defer l.release(true)
	if err := record.Before(ctx, wholeTurn, false); err != nil {
		return err
	}
	defer record.After(wholeTurn)
	prompt, err := a.promptOf(ctx, w, l.fresh)
	if err != nil {
		return err
	}
	l.fresh = l.fresh && prompt.Note == "" && isCommand(prompt.Text)
	return h.turn(ctx, w, l, func() error { return l.speaker.Turn(ctx, w, prompt) })
}

// holdHost returns the session's host and keeps its process from being reaped
// until releaseHost is called.
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
		h = &host{agent: a, id: id}
		a.hosts[id] = h
	}
	h.turns++
	return h, nil
}

// releaseHost starts the time after which an idle process is ended.
func (a *Agent) releaseHost(h *host) {
	defer h.wakeWaiting() // after the lock is released
	a.mu.Lock()
	defer a.mu.Unlock()
	h.turns--
	if h.life != nil {
		h.life.watchIdle()
	}
}

// End ends the process of a session that is closed, unless other sessions share it.
func (a *Agent) End(id bellcord.SessionID) {
	a.mu.Lock()
	h := a.hosts[id]
	delete(a.hosts, id)
	a.mu.Unlock()
	h.endSession()
}

// Close ends all processes concurrently. Later calls of Run return an error.
func (a *Agent) Close() {
	a.mu.Lock()
	a.closed = true
	for _, h := range a.hosts {
		h.over = true
	}
	processes := slices.Clone(a.processes)
	for _, p := range processes {
		p.detach()
	}
	a.hosts = nil
	a.mu.Unlock()
	var all sync.WaitGroup
	for _, p := range processes {
		all.Go(func() { p.endProcess(nil) })
	}
	all.Wait()
}
