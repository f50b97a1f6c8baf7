package child

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/proc"
)

// host holds an agent's state for one session. Turns of a session never
// overlap, so only one of them uses it at a time.
type host struct {
	agent *Agent
	id    bellcord.SessionID
	start sync.Mutex // held while a process is selected or started

	// Protected by agent.mu.
	client Client // nil if no client shows the agent's settings
	chosen []setting
	turns  int
	life   *life // nil if the session is not open on a process
	over   bool  // the session has ended: a process that is still started must be ended

	limits    bellcord.Prompt // of the last prompt: unprompted work has the same ones
	asked     bellcord.TurnID // accepted for unprompted work, and not run yet
	stopped   *bellcord.Cause // the stop of the last turn
	continued int             // number of times that the agent has continued since a stop
}

// ready returns a process that has the session open, and that the session uses for a
// turn. A stop does not wait for a process that is starting: the start continues, for
// the next prompt.
func (h *host) ready(ctx context.Context, w *hub.Work) (*life, error) {
	known, err := w.Report().AgentSession(ctx)
	if err != nil {
		return nil, err
	}
	l, err := h.open(ctx, w.Session, known, true)
	if err != nil {
		return nil, err
	}
	if l.own != l.recorded { // the agent opened a new session
		l.recorded, l.fresh = l.own, true
		err = w.Emit(bellcord.AgentSessionOpened{Agent: h.agent.Definition.Name, AgentSession: l.own})
	}
	if err != nil {
		l.release(true)
	}
	return l, err
}

// open returns a process that has the session open. known is the agent's
// session in the log. If turn is set, the session uses the process for a turn.
func (h *host) open(ctx context.Context, s bellcord.Session, known bellcord.AgentSessionOpened, turn bool) (*life, error) {
	if known.Agent != h.agent.Definition.Name {
		known.AgentSession = ""
	}
	bound := StartBound
	if turn {
		bound = Patience
	}
	l, err := h.await(ctx, bound, func(patient bool) (*life, <-chan struct{}, error) {
		return h.alive(s, known.AgentSession, turn, patient)
	})
	if err != nil {
		return nil, err
	}
	select {
	case <-l.opened:
		err = l.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil && turn {
		l.release(true)
	}
	if l.isOpened() && l.err != nil {
		h.leave(l)
	}
	return l, err
}

// await calls try until it returns a life. Between the calls it waits for a process
// that opens another session, because that takes less time than a start. After the
// bound it does not wait any more.
func (h *host) await(ctx context.Context, bound time.Duration, try func(patient bool) (*life, <-chan struct{}, error)) (*life, error) {
	late := time.NewTimer(bound)
	defer late.Stop()
	for patient := true; ; {
		l, wait, err := try(patient)
		if wait == nil {
			return l, err
		}
		select {
		case <-wait:
		case <-late.C:
			patient = false
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// alive returns the process on which the session is open, or opens the session on
// another one. own is the agent's session. If a process opens another session, alive
// returns a channel to wait for, unless patient is false.
func (h *host) alive(s bellcord.Session, own string, turn, patient bool) (*life, <-chan struct{}, error) {
	h.start.Lock()
	defer h.start.Unlock()
	h.agent.mu.Lock()
	l := h.life
	known := l != nil && !l.gone() && own == l.recorded // also if it is still opening the session
	if known && (!turn || l.take(h, true)) {
		h.agent.mu.Unlock()
		return l, nil, nil
	}
	var wait <-chan struct{}
	if known && patient && l.owner == nil && l.isOpening() {
		wait = l.freed
	}
	h.agent.mu.Unlock()
	if wait != nil {
		return nil, wait, nil
	}
	recorded := own
	if known {
		own = l.own // also if no turn has recorded it
	}
	h.leave(l) // it has ended, the conversation was cleared, or another session uses it
	l, wait, err := h.place(s, own, recorded, patient)
	if l == nil {
		return nil, wait, err
	}
	h.agent.mu.Lock()
	chosen := slices.Clone(h.chosen)
	if turn {
		l.take(h, true)
	}
	h.agent.mu.Unlock()
	go l.openSession(s, own, chosen)
	return l, nil, nil
}

// place attaches the session to a process, which it uses, and starts the process if
// necessary. The session is not open yet.
func (h *host) place(s bellcord.Session, own, recorded string, patient bool) (*life, <-chan struct{}, error) {
	a := h.agent
	a.mu.Lock()
	p, wait := a.pick(h, s, own)
	if p == nil {
		a.mu.Unlock()
		if wait != nil && patient {
			return nil, wait, nil
		}
		started, err := a.startProcess(dirsOf(s))
		if err != nil {
			return nil, nil, err
		}
		p = started
		a.mu.Lock()
		a.processes = append(a.processes, p)
		p.take(h, false)
		a.endUnused(p)
	}
	l := p.attach(h, s, recorded)
	h.life = l
	client, over := h.client, h.over || a.closed
	a.mu.Unlock()
	l.connect(client)
	if over { // the session ended while this process was started
		l.release(false)
		h.leave(l)
		return nil, nil, errClosed
	}
	return l, nil, nil
}

// turn runs the turn and makes a stop effective. speak returns as Speaker.Turn
// does. The session uses the process, unless another one did when it began to work
// without a prompt.
func (h *host) turn(ctx context.Context, w *hub.Work, l *life, speak func() error) error {
	alone := h.uses(l)
	var before proc.Mark
	if alone {
		before = l.mark()
	}
	defer l.running.Serve(string(w.Turn))()
	err := speak()
	w.Report().Mark(hub.MomentStreamClosed)
	h.setStopped(ctx)
	if alone {
		defer l.setMark()
		defer l.settle(h, before)
	}
	switch {
	case errors.Is(err, ErrGone) || l.gone() && (err != nil || ctx.Err() != nil): // an agent that exits after its answer has completed the turn
		w.Processes(processesOf(h.drop(l, nil)))
		return errors.Join(context.Cause(ctx), l.crash())
	case ctx.Err() == nil:
		if alone {
			w.Report().Background(l.leaves(&before))
		}
		return err
	case errors.Is(err, ErrDeaf):
		w.Processes(processesOf(h.drop(l, bellcord.Forced(ctx))))
	case h.agent.Definition.Renew:
		w.Processes(processesOf(h.drop(l, bellcord.Forced(ctx))))
		return errors.Join(context.Cause(ctx), w.Emit(bellcord.AgentSessionOpened{Agent: h.agent.Definition.Name}))
	case alone: // otherwise they cannot be distinguished from those of the other session's turn
		w.Processes(processesOf(l.running.EndSince(before, bellcord.Forced(ctx))))
		w.Report().Background(l.leaves(nil))
	}
	return context.Cause(ctx)
}

// uses reports whether the session uses its process alone.
func (h *host) uses(l *life) bool {
	h.agent.mu.Lock()
	defer h.agent.mu.Unlock()
	return l.user == h
}

// drop ends a process and all of its descendants. The next prompt of each session on
// it starts another one, or uses one.
func (h *host) drop(l *life, force <-chan struct{}) proc.Report {
	if l == nil {
		return proc.Report{}
	}
	h.agent.mu.Lock()
	l.detach()
	h.agent.mu.Unlock()
	return l.endProcess(force)
}

// leave closes the session on its process. The process is ended if no other session is
// open on it, or if this one uses or owns it and no other one uses it.
func (h *host) leave(l *life) {
	if l == nil {
		return
	}
	h.agent.mu.Lock()
	if !l.lives[l] { // it has left
		h.agent.mu.Unlock()
		return
	}
	sharer, shared := l.speaker.(Sharer)
	other := l.user != nil && l.user != h
	if shared = shared && len(l.lives) > 1 && (other || l.user == nil && l.owner != h) && !l.gone(); shared {
		h.forget(l)
	}
	h.agent.mu.Unlock()
	if !shared {
		h.drop(l, nil)
		return
	}
	sharer.Leave()
}

// forget removes the session from its process, which other sessions share. The caller
// holds Agent.mu.
func (h *host) forget(l *life) {
	delete(l.lives, l)
	l.left[l.own] = true
	if h.life == l {
		h.life = nil
	}
}

// endSession ends the session on its process. h may be nil.
func (h *host) endSession() {
	if h == nil {
		return
	}
	h.agent.mu.Lock()
	l := h.life
	h.over = true
	h.agent.mu.Unlock()
	h.leave(l)
}

// processesOf converts a report for a receipt.
func processesOf(r proc.Report) bellcord.Processes {
	p := bellcord.Processes{Proof: r.Proof}
	for _, e := range r.Ended {
		p.Ended = append(p.Ended, bellcord.Process{PID: e.PID, Name: e.Name, How: string(e.How)})
	}
	for _, e := range r.Survivors {
		p.Survivors = append(p.Survivors, bellcord.Process{PID: e.PID, Name: e.Name, How: string(e.How)})
	}
	return p
}

// promptOf returns the prompt that is sent to the agent, with a note about the
// previous turn if that was cut short, because agents do not keep what they did
// in a stopped turn. If fresh is set, the agent's session is new, and the note
// contains the conversation so far. A command of the agent has no note: the
// agent would not recognize the command, or would take the note for its
// arguments.
func (a *Agent) promptOf(ctx context.Context, w *hub.Work, fresh bool) (Prompt, error) {
	p := Prompt{Prompt: w.Prompt}
	if a.Silent || isCommand(p.Text) {
		return p, nil
	}
	history, err := w.History(ctx)
	if err != nil {
		return p, err
	}
	note := cutShort(history, w.Prompt.FullText())
	if before := soFar(history); fresh && before != "" {
		note = strings.TrimPrefix(note+". ", ". ") + "The conversation so far:\n" + before
	}
	if note != "" {
		p.Note = "[" + note + "]"
	}
	return p, nil
}

// isCommand reports whether a prompt is a command of the agent.
func isCommand(text string) bool { return strings.HasPrefix(text, "/") }
