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

// host is what a session has of an agent. Turns of a session never overlap, so
// only one of them uses it at a time.
type host struct {
	agent *Agent

	// Guarded by the agent's lock.
	turns  int
	reaper *time.Timer
	life   *life // nil when there is no process
	over   bool  // it is no longer the session's: what it still starts is ended
}

// ready sees to a process that has the session open. A stop does not wait for
// one that is starting: it goes on, for the next prompt.
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
	if l.own != l.told { // it is a new one of the agent's
		l.told, l.fresh = l.own, true
		return l, w.Emit(bellcord.AgentSessionOpened{Agent: h.agent.Definition.Name, AgentSession: l.own})
	}
	return l, nil
}

// alive returns the process there is, or starts one.
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
	if l != nil && !l.gone() && known.AgentSession == l.told { // also of one that is opening
		return l, nil
	}
	h.drop(l, nil) // it has died, or the conversation was cleared
	l, err = h.agent.startProcess(w.Session, known.AgentSession)
	if err != nil {
		return nil, err
	}
	h.agent.mu.Lock()
	h.life = l
	over := h.over
	h.agent.mu.Unlock()
	if over { // since, and without this one
		h.drop(l, nil)
		return nil, errClosed
	}
	return l, nil
}

// turn has the agent do the work and sees that a stop holds.
func (h *host) turn(ctx context.Context, w *hub.Work, l *life, text string) error {
	before := l.running.Mark()
	err := l.speaker.Turn(ctx, w, text)
	w.Mark(hub.MomentStreamClosed)
	switch {
	case errors.Is(err, ErrGone) || l.gone() && (err != nil || ctx.Err() != nil): // one that ends behind its answer has answered
		w.Processes(told(h.drop(l, nil)))
		return errors.Join(context.Cause(ctx), l.crash())
	case ctx.Err() == nil:
		return err
	case errors.Is(err, ErrDeaf):
		w.Processes(told(h.drop(l, bellcord.Forced(ctx))))
	case h.agent.Definition.Renew:
		w.Processes(told(h.drop(l, bellcord.Forced(ctx))))
		return errors.Join(context.Cause(ctx), w.Emit(bellcord.AgentSessionOpened{Agent: h.agent.Definition.Name}))
	default:
		w.Processes(told(l.running.EndSince(before, bellcord.Forced(ctx))))
	}
	return context.Cause(ctx)
}

// drop ends a process and all that came from it; the next prompt starts another.
func (h *host) drop(l *life, force <-chan struct{}) proc.Report {
	h.agent.mu.Lock()
	if h.life == l {
		h.life = nil
	}
	h.agent.mu.Unlock()
	return l.endProcess(force)
}

// endSession ends what the session has; nil is nothing.
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

// told is a report in a receipt's words.
func told(r proc.Report) bellcord.Processes {
	p := bellcord.Processes{Proof: r.Proof}
	for _, e := range r.Ended {
		p.Ended = append(p.Ended, bellcord.Process{PID: e.PID, Name: e.Name, How: string(e.How)})
	}
	for _, e := range r.Survivors {
		p.Survivors = append(p.Survivors, bellcord.Process{PID: e.PID, Name: e.Name, How: string(e.How)})
	}
	return p
}

// prompt is the text that the agent is given: what the person said and, after a
// turn that was cut short, what the agent had said and done in it. Agents forget
// what they were stopped in. One that is new to the conversation is told it.
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
