package hub

import (
	"context"
	"errors"

	"github.com/bellcord/bellcord"
)

// Agent executes turns.
type Agent interface {
	// Run executes one turn. It returns when the work is done or ctx ends, after
	// it has ended everything that it started. Its error is ignored after a stop.
	// If Run does not return within the grace period after a stop, the hub
	// abandons it and rejects its later writes.
	Run(ctx context.Context, work *Work) error
}

// AgentFunc adapts a function to the Agent interface.
type AgentFunc func(ctx context.Context, work *Work) error

// Run calls f.
func (f AgentFunc) Run(ctx context.Context, work *Work) error { return f(ctx, work) }

// Work is one turn as an agent receives it: the prompt, and the methods that
// report progress to the hub.
type Work struct {
	Turn    bellcord.TurnID
	Session bellcord.Session
	Prompt  bellcord.Prompt

	turn *Turn
	line *line
	hub  *Hub
}

// Emit records an event body. Bodies of one turn keep their order. Emit returns
// before the body is durable (see Sync) and blocks only while too much unwritten
// data is queued.
//
// After a stop, Emit records only the outcome of calls in progress and the usage
// of model requests. It drops every other body and returns the turn's cause, so
// text that an agent produces after a stop is neither recorded nor shown. After
// the turn's end it drops every body and returns ErrTurnEnded.
//
// The amount of data recorded per turn is limited. For a long tool output, Emit
// records the beginning immediately and the tail when the call ends, with the
// number of bytes omitted between them. For an answer it records at most
// bellcord.MaxAnswer bytes per step and then returns ErrAnswerTooLong.
//
// Emit returns an error and records nothing if b is nil or not of an event type of
// package bellcord.
func (w *Work) Emit(b bellcord.Body) error {
	if err := bellcord.CheckBody(b); err != nil {
		return err
	}
	b = validNames(withoutSecrets(b, w.hub.opts.Hide))
	late := w.turn.recordsLate(b)
	bodies, tooLong := w.turn.bounded(b)
	for _, one := range bodies {
		if err := w.turn.writer.Write(w.turn.ctx, one, late); err != nil {
			return err
		}
		w.turn.observe(one)
		w.hold(one)
	}
	return tooLong
}

// Sync returns when every emitted body is durable and this process is allowed to
// start work (see Options.Leased). An agent must call it before a side effect
// that must not be repeated.
func (w *Work) Sync(ctx context.Context) error {
	if err := w.turn.writer.Sync(ctx); err != nil {
		return err
	}
	return w.hub.mayStart(ctx)
}

// Step records the start of a model request and returns when the record is
// durable. It is the step boundary: a stop with mode StopAfterStep, the step
// limit and the token budget take effect here. If the turn must not continue,
// Step returns its cause, even if ctx has not ended.
func (w *Work) Step(ctx context.Context, s bellcord.StepStarted) error {
	t := w.turn
	t.mu.Lock()
	after, steps := t.after, t.tally.Steps()
	t.mu.Unlock()
	if after != nil {
		t.cancel(after)
	}
	if limit := t.Prompt.MaxSteps; limit > 0 && steps >= limit {
		w.hub.Stop(thenNext(bellcord.StopTurn(t.ID, bellcord.Cause{Kind: bellcord.CauseStepLimit, By: "step limit", Source: "hub"})))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if t.ctx.Err() != nil {
		return context.Cause(t.ctx)
	}
	s.Step = steps + 1
	if err := w.Emit(s); err != nil {
		return err
	}
	if ctx.Err() == nil {
		// Sync fails if another process has taken over this process's turns.
		if err := w.Sync(ctx); ctx.Err() == nil {
			return err
		}
	}
	// A stop or the budget ended the turn before the request was sent, so the
	// request costs nothing.
	return errors.Join(context.Cause(ctx), w.Emit(bellcord.StepEnded{Finish: "not_sent", Usage: &bellcord.Usage{Exact: true}}))
}

// History returns the session's conversation so far, repaired so that a model
// accepts it. It includes everything that this turn has emitted.
func (w *Work) History(ctx context.Context) ([]bellcord.Message, error) {
	if err := w.Sync(ctx); err != nil {
		return nil, err
	}
	return w.line.conversation.Read(ctx, w.hub.store, w.Session.ID)
}

// AgentSession returns the hosted agent's session as last recorded, or the zero
// value if none was recorded in this conversation.
func (h *Hub) AgentSession(ctx context.Context, id bellcord.SessionID) (bellcord.AgentSessionOpened, error) {
	h.mu.Lock()
	l := h.sessions[id]
	h.mu.Unlock()
	if l == nil {
		l = &line{} // a session that is not open
	}
	return l.conversation.AgentSession(ctx, h.store, id)
}

// Processes adds ended processes and survivors to the turn's receipt.
func (w *Work) Processes(p bellcord.Processes) {
	w.turn.mu.Lock()
	w.turn.tally.AddProcesses(p)
	w.turn.mu.Unlock()
	w.Report().Mark(MomentProcessEnded)
}

// SetTitle sets the session's title, unless the turn has been stopped.
func (w *Work) SetTitle(title string) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	l := w.hub.sessions[w.Session.ID]
	if l != nil && title != "" && w.turn.ctx.Err() == nil {
		w.hub.setAutoTitleLocked(l, title)
	}
}
