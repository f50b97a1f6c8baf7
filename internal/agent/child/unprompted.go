package child

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/proc"
)

// Unprompted is a Speaker whose agent can work without a prompt, for example when
// a background command has ended. The Speaker keeps what the agent sends, calls
// Process.Unprompted, and passes all of it to the next turn: that of Continue, or
// that of a prompt that was accepted before.
type Unprompted interface {
	Speaker
	// Works reports whether the agent has begun work for which no turn runs.
	Works() bool
	// Continue records the work and returns when the agent has ended it. A stop is
	// as in Turn, and also if ctx is done when Continue is called.
	Continue(ctx context.Context, w *hub.Work) error
}

// Turns accepts and stops turns. *hub.Hub implements it.
type Turns interface {
	Prompt(session bellcord.SessionID, p bellcord.Prompt) (*hub.Turn, error)
	OpenSession(ctx context.Context, session bellcord.SessionID) (bellcord.Session, error)
	Stop(req bellcord.StopRequest) *hub.Stopping
}

// goesOn is how long after a stop the work of an agent still belongs to what was
// stopped: it is stopped, too.
const goesOn = Patience

// wake accepts a turn for the work that a process has begun without a prompt. If a
// turn of the session is about to run, that turn records the work.
func (a *Agent) wake(l *life) {
	a.mu.Lock()
	h := l.host
	if a.closed || h == nil || h.over || h.life != l || h.turns > 0 || h.asked != "" {
		a.mu.Unlock()
		return
	}
	prompt := h.limits
	prompt.Turn, prompt.Task = bellcord.NewTurnID(), bellcord.TaskUnprompted
	prompt.Text = a.Definition.Name + " continued without a prompt"
	h.asked = prompt.Turn
	if l.owner == nil {
		l.owner = h // other sessions do not use the process from now on
	}
	var cause *bellcord.Cause
	if h.stopped != nil && time.Since(h.stopped.At) < goesOn {
		cause = h.stopped
		h.continued++
	}
	a.mu.Unlock()
	turn, err := a.Turns.Prompt(h.id, prompt)
	switch {
	case errors.Is(err, bellcord.ErrNotOpen): // the session was idle: opening it does I/O
		go h.openAndWake(l, prompt)
		return
	case err != nil:
		h.endUnrecorded(l, prompt.Turn, err)
		return
	case cause != nil:
		a.Turns.Stop(bellcord.StopRequest{Turn: turn.ID, Cause: *cause, Mode: cause.Mode})
	}
	go h.watchUnprompted(l, turn)
}

// openAndWake opens the session in the hub and accepts a turn for unprompted work.
func (h *host) openAndWake(l *life, prompt bellcord.Prompt) {
	ctx, done := context.WithTimeout(context.Background(), StartBound)
	defer done()
	_, err := h.agent.Turns.OpenSession(ctx, h.id)
	var turn *hub.Turn
	if err == nil {
		turn, err = h.agent.Turns.Prompt(h.id, prompt)
	}
	if err != nil {
		h.endUnrecorded(l, prompt.Turn, err)
		return
	}
	h.watchUnprompted(l, turn)
}

// watchUnprompted waits for the end of a turn of unprompted work.
func (h *host) watchUnprompted(l *life, turn *hub.Turn) {
	<-turn.Settled()
	h.endUnrecorded(l, turn.ID, errors.New("its turn did not run"))
}

// endUnrecorded ends an agent whose work the turn does not record, unless the turn
// has run: nothing that an agent does is invisible, and everything can be stopped.
func (h *host) endUnrecorded(l *life, turn bellcord.TurnID, err error) {
	if !h.takeAsked(turn) {
		return
	}
	if h.agent.Logger != nil {
		h.agent.Logger.Warn("hosted agent ended: its work without a prompt cannot be recorded", "agent", l.name(), "session", h.id, "err", err)
	}
	go h.drop(l, nil)
}

// takeAsked reports whether the turn was accepted for unprompted work and has not
// run. It counts as run from now on.
func (h *host) takeAsked(turn bellcord.TurnID) bool {
	h.agent.mu.Lock()
	defer h.agent.mu.Unlock()
	if h.asked != turn {
		return false
	}
	h.asked = ""
	return true
}

// wakeWaiting accepts a turn for work that began while a turn was ending.
func (h *host) wakeWaiting() {
	h.agent.mu.Lock()
	l := h.life
	h.agent.mu.Unlock()
	if l == nil {
		return
	}
	if u, can := l.speaker.(Unprompted); can && u.Works() {
		h.agent.wake(l)
	}
}

// runUnprompted runs the turn of work that the agent has begun without a prompt.
func (h *host) runUnprompted(ctx context.Context, w *hub.Work) error {
	h.takeAsked(w.Turn)
	h.agent.mu.Lock()
	l, stubborn := h.life, h.continued > 1
	alone := l != nil && l.take(h, true)
	h.agent.mu.Unlock()
	if l == nil {
		return nil // the process has ended, and its work with it
	}
	if alone {
		defer l.release(true)
	}
	u, can := l.speaker.(Unprompted)
	if !can || !u.Works() && !l.gone() {
		return nil // the turn of a prompt has recorded the work
	}
	if h.agent.Sandbox != nil {
		w.Report().AddSandbox(*h.agent.Sandbox)
	}
	record := h.agent.Undo.Turn(w.Session, w.Turn, w.Report())
	defer record.Close()
	if err := record.Before(ctx, wholeTurn, true); err != nil && ctx.Err() == nil { // the agent may have changed files already
		w.Processes(processesOf(h.drop(l, nil)))
		return fmt.Errorf("%s was ended: %w", l.name(), err)
	}
	defer record.After(wholeTurn)
	err := h.turn(ctx, w, l, func() error {
		err := u.Continue(ctx, w)
		if stubborn && ctx.Err() != nil {
			err = ErrDeaf // it has responded to two stops, and continued after both
		}
		return err
	})
	if err != nil && ctx.Err() == nil { // the work cannot be recorded, or the agent is gone
		w.Processes(processesOf(h.drop(l, nil)))
		w.Report().Background(nil)
	}
	return err
}

// setLimits keeps the limits of a prompt for the unprompted work after it.
func (h *host) setLimits(p bellcord.Prompt) {
	h.agent.mu.Lock()
	defer h.agent.mu.Unlock()
	h.limits = bellcord.Prompt{
		Deadline: p.Deadline, MaxSteps: p.MaxSteps, MaxTokens: p.MaxTokens, MaxCostNanoUSD: p.MaxCostNanoUSD,
		SessionBudget: p.SessionBudget, OnDisconnect: p.OnDisconnect,
	}
}

// setStopped keeps the stop of a turn that has just ended, or nil.
func (h *host) setStopped(ctx context.Context) {
	var cause *bellcord.Cause
	if errors.As(context.Cause(ctx), &cause) {
		now := *cause
		now.At = time.Now() // of the agent's response
		cause = &now
	}
	h.agent.mu.Lock()
	defer h.agent.mu.Unlock()
	if h.stopped = cause; cause == nil {
		h.continued = 0
	}
}

// mark returns the processes that do not belong to the turn that starts. What the
// agent has started since the last turn belongs to it if the agent worked without a
// prompt.
func (l *life) mark() proc.Mark {
	if u, can := l.speaker.(Unprompted); can && l.idle != nil && u.Works() {
		return *l.idle
	}
	return l.running.Mark()
}

// setMark keeps the processes at the end of a turn.
func (l *life) setMark() {
	if _, can := l.speaker.(Unprompted); can && !l.gone() {
		now := l.running.Mark()
		l.idle = &now
	}
}
