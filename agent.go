package bellcord

import (
	"context"
	"errors"
	"time"
)

// Agent does a turn's work.
type Agent interface {
	// Run works until it is done or ctx ends, then ends all that it started and
	// returns. What it returns after ctx has ended decides nothing. An agent
	// that does not return is abandoned after the grace, and its pen is sealed.
	Run(ctx context.Context, work *Work) error
}

// Work is what an agent is given: the prompt, and the verbs of a turn.
type Work struct {
	Turn    TurnID
	Session Session
	Prompt  Prompt

	turn *Turn
	hub  *Hub
}

// Emit records a body. Bodies of one turn keep their order. Emit does not wait
// for them to be durable (see Sync); it waits only while too much is not.
// After the turn's end it refuses.
func (w *Work) Emit(b Body) error {
	if err := w.turn.writer.write(w.turn.ctx, b); err != nil {
		return err
	}
	w.turn.observe(b)
	w.hold(b)
	return nil
}

// Sync returns when all that was emitted is durable and this process may start
// something. An agent calls it before an effect that must not be repeated.
func (w *Work) Sync(ctx context.Context) error {
	if err := w.turn.writer.sync(ctx); err != nil {
		return err
	}
	return w.hub.mayStart(ctx)
}

// Step begins a request to the model, and is on record when it returns. It is the
// step boundary: here a stop that waits for one takes effect, and the step limit
// and the token budget do. It returns the turn's cause when the turn is not to go
// on.
func (w *Work) Step(ctx context.Context, s StepStarted) error {
	t := w.turn
	t.mu.Lock()
	after, steps := t.after, t.tally.steps
	t.mu.Unlock()
	if after != nil {
		t.cancel(after)
	}
	if limit := t.Prompt.Steps; limit > 0 && steps >= limit {
		w.hub.Stop(StopTurn(t.ID, Cause{Kind: StepLimit, By: "step limit", From: "hub"}).thenNext())
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
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
	return errors.Join(context.Cause(ctx), w.Emit(StepEnded{Finish: "not_sent", Usage: &Usage{Exact: true}}))
}

// Question is put to a person; the turn waits for the answer.
type Question struct {
	ID      string   `json:"id"`
	Call    string   `json:"call,omitempty"` // the tool call it is about
	Text    string   `json:"text"`
	Choices []Choice `json:"choices"`
}

// Choice is one possible answer.
type Choice struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Kind string `json:"kind"` // allow_once | allow_always | reject_once | reject_always
}

// ErrNoQuestion answers a choice for a question that is not open: it never was,
// or it was answered.
var ErrNoQuestion = errors.New("no such question is open")

// Ask puts a question to whoever watches the session and waits for a choice. A
// stop closes it: the cause is returned and a later answer finds no question.
func (w *Work) Ask(ctx context.Context, q Question) (string, error) {
	if q.ID == "" {
		q.ID = newUUID()
	}
	answer, err := w.turn.ask(q)
	if err != nil {
		return "", err
	}
	if err := w.Emit(Asked{q}); err != nil {
		return "", err
	}
	select {
	case g := <-answer:
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return g.choice, w.Emit(Answered{Question: q.ID, Choice: g.choice, By: g.by})
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// History returns the session's conversation so far, repaired so that a model
// accepts it. What this turn has emitted is in it.
func (w *Work) History(ctx context.Context) ([]Message, error) {
	if err := w.Sync(ctx); err != nil {
		return nil, err
	}
	return ReadHistory(ctx, w.hub.log.store, w.Session.ID)
}

// Hosted returns the newest word on which session of a hosted agent the work is
// done in; the zero value when there is none.
func (w *Work) Hosted(ctx context.Context) (Hosted, error) {
	var last Hosted
	err := eachEvent(ctx, w.hub.log.store, w.Session.ID, 0, func(ev Event) {
		switch b := ev.Body.(type) {
		case Hosted:
			last = b
		case Cleared:
			last = Hosted{} // a new conversation is a new session of the agent's
		}
	})
	return last, err
}

// Processes reports processes that were ended for the turn, and survivors; the
// receipt lists them.
func (w *Work) Processes(p Processes) {
	w.turn.mu.Lock()
	w.turn.tally.procs.add(p)
	w.turn.mu.Unlock()
	w.Mark(ProcessGone)
}

// Entitle names the session, unless the turn has been stopped.
func (w *Work) Entitle(title string) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	l := w.hub.sessions[w.Session.ID]
	if l != nil && title != "" && w.turn.ctx.Err() == nil {
		w.hub.configure(l, Configured{Title: title})
	}
}

// Background reports the processes that were declared to outlive the turn, as
// they are now; the receipt lists them.
func (w *Work) Background(running []Process) {
	w.turn.mu.Lock()
	w.turn.tally.procs.Background = running
	w.turn.mu.Unlock()
}

// Moment is a time that a receipt tells.
type Moment int

// The moments an agent reports.
const (
	StreamClosed Moment = iota // the model's connection is closed
	ProcessGone                // the last process of a call is gone
)

// Mark reports that a moment has come.
func (w *Work) Mark(m Moment) {
	w.turn.mu.Lock()
	w.turn.tally.at(m, time.Now())
	w.turn.mu.Unlock()
}
