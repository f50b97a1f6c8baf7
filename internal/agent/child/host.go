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
	reaper *time.Timer
	life   *life // nil if there is no process
	over   bool  // the session has ended: a process that is still started must be ended

	limits    bellcord.Prompt // of the last prompt: unprompted work has the same ones
	asked     bellcord.TurnID // accepted for unprompted work, and not run yet
	stopped   *bellcord.Cause // the stop of the last turn
	continued int             // number of times that the agent has continued since a stop
}

// ready returns a process that has the session open. A stop does not wait for a
// process that is starting: the start continues, for the next prompt.
func (h *host) ready(ctx context.Context, w *hub.Work) (*life, error) {
	known, err := w.AgentSession(ctx)
	if err != nil {
		return nil, err
	}
	l, err := h.open(ctx, w.Session, known)
	if err != nil {
		return nil, err
	}
	if l.own != l.recorded { // the agent opened a new session
		l.recorded, l.fresh = l.own, true
		return l, w.Emit(bellcord.AgentSessionOpened{Agent: h.agent.Definition.Name, AgentSession: l.own})
	}
	return l, nil
}

// open returns a process that has the session open. known is the agent's
// session in the log.
func (h *host) open(ctx context.Context, s bellcord.Session, known bellcord.AgentSessionOpened) (*life, error) {
	l, err := h.alive(s, known)
	if err != nil {
		return nil, err
	}
	select {
	case <-l.opened:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if l.err != nil {
		h.drop(l, nil)
		return nil, l.err
	}
	return l, nil
}

// alive returns the current process, or starts one.
func (h *host) alive(s bellcord.Session, known bellcord.AgentSessionOpened) (*life, error) {
	h.start.Lock()
	defer h.start.Unlock()
	h.agent.mu.Lock()
	l, client, chosen := h.life, h.client, slices.Clone(h.chosen)
	h.agent.mu.Unlock()
	if known.Agent != h.agent.Definition.Name {
		known.AgentSession = ""
	}
	if l != nil && !l.gone() && known.AgentSession == l.recorded { // also if it is still opening the session
		return l, nil
	}
	h.drop(l, nil) // it has ended, or the conversation was cleared
	l, err := h.agent.launch(s)
	if err != nil {
		return nil, err
	}
	l.recorded = known.AgentSession
	l.connect(client)
	go l.openSession(s, chosen)
	h.agent.mu.Lock()
	h.life, l.host = l, h
	over := h.over
	h.agent.mu.Unlock()
	if over { // the session ended while this process was started
		h.drop(l, nil)
		return nil, errClosed
	}
	return l, nil
}

// turn runs the turn and makes a stop effective. speak returns as Speaker.Turn
// does.
func (h *host) turn(ctx context.Context, w *hub.Work, l *life, speak func() error) error {
	before := l.mark()
	defer l.running.Serve(string(w.Turn))()
	err := speak()
	w.Mark(hub.MomentStreamClosed)
	h.setStopped(ctx)
	defer l.setMark()
	switch {
	case errors.Is(err, ErrGone) || l.gone() && (err != nil || ctx.Err() != nil): // an agent that exits after its answer has completed the turn
		w.Processes(processesOf(h.drop(l, nil)))
		return errors.Join(context.Cause(ctx), l.crash())
	case ctx.Err() == nil:
		return err
	case errors.Is(err, ErrDeaf):
		w.Processes(processesOf(h.drop(l, bellcord.Forced(ctx))))
	case h.agent.Definition.Renew:
		w.Processes(processesOf(h.drop(l, bellcord.Forced(ctx))))
		return errors.Join(context.Cause(ctx), w.Emit(bellcord.AgentSessionOpened{Agent: h.agent.Definition.Name}))
	default:
		w.Processes(processesOf(l.running.EndSince(before, bellcord.Forced(ctx))))
	}
	return context.Cause(ctx)
}

// drop ends a process and all of its descendants. The next prompt starts
// another one.
func (h *host) drop(l *life, force <-chan struct{}) proc.Report {
	h.agent.mu.Lock()
	if h.life == l {
		h.life = nil
	}
	h.agent.mu.Unlock()
	return l.endProcess(force)
}

// endSession ends the session's process. h may be nil.
func (h *host) endSession() {
	if h == nil {
		return
	}
	h.agent.mu.Lock()
	l := h.life
	h.over = true
	if h.reaper != nil {
		h.reaper.Stop()
	}
	h.agent.mu.Unlock()
	h.drop(l, nil)
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
