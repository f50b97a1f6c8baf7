package child

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/proc"
)

// host holds an agent's state for one session. Turns of a session never
// overlap, so only one of them uses it at a time.
type host struct {
	agent *Agent

	// Protected by agent.mu.
	turns  int
	reaper *time.Timer
	life   *life // nil if there is no process
	over   bool  // the session has ended: a process that is still started must be ended
}

// ready returns a process that has the session open. A stop does not wait for a
// process that is starting: the start continues, for the next prompt.
func (h *host) ready(ctx context.Context, w *hub.Work) (*life, error) {
	l, err := h.alive(ctx, w)
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
	if l.own != l.recorded { // the agent opened a new session
		l.recorded, l.fresh = l.own, true
		return l, w.Emit(bellcord.AgentSessionOpened{Agent: h.agent.Definition.Name, AgentSession: l.own})
	}
	return l, nil
}

// alive returns the current process, or starts one.
func (h *host) alive(ctx context.Context, w *hub.Work) (*life, error) {
	h.agent.mu.Lock()
	l := h.life
	h.agent.mu.Unlock()
	known, err := w.AgentSession(ctx)
	if err != nil {
		return nil, err
	}
	if known.Agent != h.agent.Definition.Name {
		known.AgentSession = ""
	}
	if l != nil && !l.gone() && known.AgentSession == l.recorded { // also if it is still opening the session
		return l, nil
	}
	h.drop(l, nil) // it has ended, or the conversation was cleared
	l, err = h.agent.startProcess(w.Session, known.AgentSession)
	if err != nil {
		return nil, err
	}
	h.agent.mu.Lock()
	h.life = l
	over := h.over
	h.agent.mu.Unlock()
	if over { // the session ended while this process was started
		h.drop(l, nil)
		return nil, errClosed
	}
	return l, nil
}

// turn runs the turn and makes a stop effective.
func (h *host) turn(ctx context.Context, w *hub.Work, l *life, text string) error {
	before := l.running.Mark()
	err := l.speaker.Turn(ctx, w, text)
	w.Mark(hub.MomentStreamClosed)
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

// prompt returns the text that is sent to the agent: the user's text, preceded
// by a note about the previous turn if that was cut short, because agents do
// not keep what they did in a stopped turn. If fresh is set, the agent's
// session is new, and the note contains the conversation so far.
func (a *Agent) prompt(ctx context.Context, w *hub.Work, fresh bool) (string, error) {
	if a.Silent {
		return w.Prompt.Text, nil
	}
	history, err := w.History(ctx)
	if err != nil {
		return "", err
	}
	note := cutShort(history, w.Prompt.Text)
	if before := soFar(history); fresh && before != "" {
		note = strings.TrimPrefix(note+". ", ". ") + "The conversation so far:\n" + before
	}
	if note == "" {
		return w.Prompt.Text, nil
	}
	return fmt.Sprintf("[%s]\n\n%s", note, w.Prompt.Text), nil
}
