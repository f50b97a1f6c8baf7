package hub

import (
	"context"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
)

// Agent does a turn's work.
type Agent interface {
	// Run works until it is done or ctx ends, then ends all that it started and
	// returns. Its error is ignored after ctx has ended. An agent that does not
	// return is abandoned after the grace period; its later writes are refused.
	Run(ctx context.Context, work *Work) error
}

// AgentFunc is a function that does a turn's work.
type AgentFunc func(ctx context.Context, work *Work) error

// Run calls f.
func (f AgentFunc) Run(ctx context.Context, work *Work) error { return f(ctx, work) }

// Work is what an agent gets for a turn: the prompt, and the methods to report what
// it does.
type Work struct {
	Turn    bellcord.TurnID
	Session bellcord.Session
	Prompt  bellcord.Prompt

	turn *Turn
	hub  *Hub
}

// Emit records a body. Bodies of one turn keep their order. Emit does not wait
// for them to be durable (see Sync); it waits only while too much is not.
//
// After a stop, Emit records only the outcome of calls that were under way and
// what requests to the model cost. It drops every other body and returns the
// turn's cause: an agent that ignores the stop and goes on talking is neither
// recorded nor shown. After the turn's end it drops everything and returns
// ErrTurnEnded.
//
// What one turn records is bounded. Of a long output Emit records the head as it
// comes and the tail when the call ends, with the number of bytes between them;
// of an answer at most bellcord.MaxAnswer bytes a step, and then it returns
// ErrAnswerTooLong.
func (w *Work) Emit(b bellcord.Body) error {
	b = withoutSecrets(b, w.hub.opts.Hide)
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

// Sync returns when all that was emitted is durable and this process may start
// something. An agent calls it before an effect that must not be repeated.
func (w *Work) Sync(ctx context.Context) error {
	if err := w.turn.writer.Sync(ctx); err != nil {
		return err
	}
	return w.hub.mayStart(ctx)
}

// Step records that a request to the model begins, and returns when the record is
// durable. It is the step boundary: a stop that waits for one takes effect here, and
// so do the step limit and the token budget. Step returns the turn's cause when the
// turn must not go on, even if ctx has not ended.
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
		// A process that was taken for dead asks no model: here it is told.
		if err := w.Sync(ctx); ctx.Err() == nil {
			return err
		}
	}
	// Its own price was too much for the budget, or a stop came: it is not sent,
	// and costs nothing.
	return errors.Join(context.Cause(ctx), w.Emit(bellcord.StepEnded{Finish: "not_sent", Usage: &bellcord.Usage{Exact: true}}))
}

// Ask puts a question to the people who watch the session and waits for a choice.
// A stop withdraws it: Ask returns the cause, and a later answer gets ErrTurnEnded.
func (w *Work) Ask(ctx context.Context, q bellcord.Question) (string, error) {
	if q.ID == "" {
		q.ID = bellcord.NewQuestionID()
	}
	answer, err := w.turn.ask(q)
	if err != nil {
		return "", err
	}
	if err := w.Emit(bellcord.QuestionOpened{Question: q}); err != nil {
		return "", err
	}
	select {
	case g := <-answer:
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return g.choice, w.Emit(bellcord.QuestionAnswered{Question: q.ID, Choice: g.choice, By: g.by})
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// History returns the session's conversation so far, repaired so that a model
// accepts it. What this turn has emitted is in it.
func (w *Work) History(ctx context.Context) ([]bellcord.Message, error) {
	if err := w.Sync(ctx); err != nil {
		return nil, err
	}
	return history.Read(ctx, w.hub.store, w.Session.ID)
}

// AgentSession returns the hosted agent's own session in which the work is done, as
// last recorded; the zero value if there is none.
func (w *Work) AgentSession(ctx context.Context) (bellcord.AgentSessionOpened, error) {
	var last bellcord.AgentSessionOpened
	err := bellcord.EachEvent(ctx, w.hub.store, w.Session.ID, 0, func(ev bellcord.Event) bool {
		switch b := ev.Body.(type) {
		case bellcord.AgentSessionOpened:
			last = b
		case bellcord.ConversationCleared:
			last = bellcord.AgentSessionOpened{} // a new conversation is a new session of the agent's
		}
		return true
	})
	return last, err
}

// Processes reports processes that were ended for the turn, and survivors; the
// receipt lists them.
func (w *Work) Processes(p bellcord.Processes) {
	w.turn.mu.Lock()
	w.turn.tally.AddProcesses(p)
	w.turn.mu.Unlock()
	w.Mark(MomentProcessEnded)
}

// Confirm records that a process of a call has ended which the turn's receipt
// lists as unconfirmed. It returns after the turn has settled, so that the
// event follows the receipt.
func (w *Work) Confirm(call string, p bellcord.Process) {
	<-w.turn.settled
	confirmed := bellcord.ProcessConfirmed{Turn: w.Turn, Call: call, Process: p}
	w.hub.loose.Put(bellcord.AppendEvents{Session: w.Session.ID, Bodies: []bellcord.Body{confirmed}, At: time.Now()})
}

// SetTitle names the session, unless the turn has been stopped.
func (w *Work) SetTitle(title string) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	l := w.hub.sessions[w.Session.ID]
	if l != nil && title != "" && w.turn.ctx.Err() == nil {
		w.hub.configureLocked(l, bellcord.SessionUpdated{Title: title})
	}
}

// Background reports the processes that were declared to outlive the turn, as
// they are now; the receipt lists them.
func (w *Work) Background(running []bellcord.Process) {
	w.turn.mu.Lock()
	w.turn.tally.SetBackground(running)
	w.turn.mu.Unlock()
}

// Moment is an instant that the receipt records.
type Moment int

// The moments an agent reports.
const (
	MomentStreamClosed Moment = iota // the model's connection is closed
	MomentProcessEnded               // the last process of a call is gone
)

// Mark reports that a moment has come. The last report of a moment counts.
func (w *Work) Mark(m Moment) {
	w.turn.mu.Lock()
	defer w.turn.mu.Unlock()
	switch times := &w.turn.tally.Times; m {
	case MomentStreamClosed:
		times.StreamClosed = time.Now()
	case MomentProcessEnded:
		times.LastProcessEnded = time.Now()
	}
}
