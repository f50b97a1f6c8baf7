package hub

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub/internal/commitlog"
	"github.com/bellcord/bellcord/lifecycle"
)

// Turn is one prompt and everything done for it, until its one end. It is the
// only thing that can be stopped, and it can be stopped from the moment it is
// accepted. It keeps counts, not its transcript: that is in the log.
type Turn struct {
	ID      bellcord.TurnID
	Session bellcord.SessionID
	Prompt  bellcord.Prompt // as it was accepted

	ctx     context.Context         // the turn's one context; its cause says why the turn stops
	cancel  context.CancelCauseFunc // the one way to stop; the first cause stays
	forced  chan struct{}           // closed when the grace is to be skipped
	idle    chan struct{}           // closed when no work of the turn remains
	settled chan struct{}           // closed when the end is durable; receipt is then there
	receipt bellcord.Receipt
	writer  *commitlog.Writer
	mayRun  chan struct{}  // closed when the turn is first in its session's line
	before  bellcord.Usage // of the session, when the turn began; set before its agent runs

	accepted  *commitlog.Entry   // its way into the store
	titled    []*commitlog.Entry // that of the title that its session got from it
	withdrawn bool               // it never came there; set before settled is closed

	// Guarded by Hub.mu.
	text  string // of the prompt, as it is now
	held  bool
	fate  bellcord.QueueAction // what its stop declared for those behind it
	holds []bellcord.TurnID
	drops []bellcord.TurnID

	mu        sync.Mutex
	tally     lifecycle.Tally
	bounds    bounds
	questions map[string]open
	asked     int             // questions so far
	after     *bellcord.Cause // a stop that waits for the next step
}

func newTurn(session bellcord.SessionID, p bellcord.Prompt) *Turn {
	t := &Turn{
		ID: p.Turn, Session: session, Prompt: p, text: p.Text,
		forced:    make(chan struct{}),
		idle:      make(chan struct{}),
		settled:   make(chan struct{}),
		mayRun:    make(chan struct{}),
		questions: map[string]open{},
	}
	// A request's context is never a turn's parent: a turn ends by its own
	// cause alone.
	ctx := bellcord.WithForced(context.Background(), t.forced)
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	t.tally.Times.Accepted = time.Now()
	return t
}

// Accepted returns once the turn is on record, or says why it never will be:
// ErrTurnExists, where another one has its id.
func (t *Turn) Accepted(ctx context.Context) error {
	_, err := t.accepted.Wait(ctx)
	return err
}

// Idle is closed when no work of the turn remains; never for one whose agent did
// not return.
func (t *Turn) Idle() <-chan struct{} { return t.idle }

// isIdle reports whether the turn is on record and no work of it remains. Of one
// that is not on record yet nobody can say that it will have an end.
func (t *Turn) isIdle() bool {
	for _, done := range []<-chan struct{}{t.idle, t.accepted.Done()} {
		select {
		case <-done:
		default:
			return false
		}
	}
	return t.accepted.Result().Err == nil
}

// Settled is closed when the turn's end is durable.
func (t *Turn) Settled() <-chan struct{} { return t.settled }

// Receipt returns the turn's end; only after Settled is closed.
func (t *Turn) Receipt() bellcord.Receipt { return t.receipt }

// stop applies a cause to the turn, at once and without waiting for anything.
func (t *Turn) stop(cause *bellcord.Cause) {
	switch cause.Mode {
	case bellcord.StopAfterStep:
		t.mu.Lock()
		if t.after == nil {
			t.after = cause
		}
		t.mu.Unlock()
		return
	case bellcord.StopForce:
		t.mu.Lock()
		select {
		case <-t.forced:
		default:
			close(t.forced)
		}
		t.mu.Unlock()
	case bellcord.StopNow, "":
	}
	t.cancel(cause)
}

// cause returns the stop that ended the turn's context, nil if none did.
func (t *Turn) cause() *bellcord.Cause {
	var c *bellcord.Cause
	errors.As(context.Cause(t.ctx), &c)
	return c
}

// askedToStop returns the stop that was asked for, also one that waits for a step.
func (t *Turn) askedToStop() *bellcord.Cause {
	if c := t.cause(); c != nil {
		return c
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.after
}

// observe counts a body into the turn's tally.
func (t *Turn) observe(b bellcord.Body) {
	t.mu.Lock()
	t.tally.Observe(b)
	t.mu.Unlock()
}

// recordsLate reports whether b is recorded although the turn has been stopped:
// it says what became of a call that is on record, what a request to the model
// cost, or which session of a hosted agent the next turn continues.
func (t *Turn) recordsLate(b bellcord.Body) bool {
	switch b := b.(type) {
	case bellcord.StepStarted, bellcord.UsageReported, bellcord.StepEnded, bellcord.SideRequestEnded, bellcord.AgentSessionOpened:
		return true
	case bellcord.ToolCallStarted:
		return t.hasOpen(b.Call)
	case bellcord.ToolCallEnded:
		return t.hasOpen(b.Call)
	}
	return false
}

// bounded returns what is recorded for b, see bounds.apply. After a stop nothing
// is held back any more: what is not recorded then is dropped.
func (t *Turn) bounded(b bellcord.Body) ([]bellcord.Body, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, output := b.(bellcord.ToolOutputDelta); output && t.ctx.Err() != nil {
		return []bellcord.Body{b}, nil
	}
	return t.bounds.apply(b)
}

// hasOpen reports whether the call is on record and has not ended.
func (t *Turn) hasOpen(call string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tally.IsOpen(call)
}

// given is a person's answer.
type given struct{ choice, by string }

// open is a question that waits for its answer.
type open struct {
	question bellcord.Question
	asked    int // how many were asked before it
	answer   chan given
}

// ask registers a question; a stopped turn asks nothing more.
func (t *Turn) ask(q bellcord.Question) (<-chan given, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return nil, context.Cause(t.ctx)
	}
	t.asked++
	answer := make(chan given, 1)
	t.questions[q.ID] = open{question: q, asked: t.asked, answer: answer}
	return answer, nil
}

// Questions returns the open ones, in the order they were asked.
func (t *Turn) Questions() []bellcord.Question {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return nil
	}
	opens := slices.SortedFunc(maps.Values(t.questions), func(a, b open) int { return a.asked - b.asked })
	var all []bellcord.Question
	for _, o := range opens {
		all = append(all, o.question)
	}
	return all
}

// answerQuestion passes a choice to the agent that asked the question. A
// second answer finds no open question, and an answer after a stop finds the
// turn ended.
func (t *Turn) answerQuestion(question string, g given) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return bellcord.ErrTurnEnded
	}
	o, asked := t.questions[question]
	if !asked {
		return bellcord.ErrNoQuestion
	}
	delete(t.questions, question)
	o.answer <- g
	return nil
}

// summaryLocked returns the receipt of the turn as it stands, for the given end.
// It needs the hub's lock held.
func (t *Turn) summaryLocked(end bellcord.End, cause *bellcord.Cause, failure error) bellcord.Receipt {
	t.mu.Lock()
	defer t.mu.Unlock()
	if cause == nil {
		cause = t.after // asked for, and overtaken by the turn's own end
	}
	r := t.tally.Receipt(!errors.Is(failure, errAbandoned))
	r.AgentAbandoned = errors.Is(failure, errAbandoned)
	r.Turn, r.Session, r.End, r.Cause = t.ID, t.Session, end, cause
	r.Times.Settled = time.Now()
	r.RaceWinner = bellcord.CompletionWon
	if end == bellcord.EndStopped {
		r.RaceWinner = bellcord.StopWon
		r.Queue, r.HeldTurns, r.DroppedTurns = t.fate, t.holds, t.drops
		if r.Times.Started.IsZero() {
			r.Prompt = t.text // it never ran: the caller gets it back
		}
	}
	if cause != nil {
		r.Times.StopRequested = cause.At
	}
	if failure != nil && end == bellcord.EndFailed {
		r.Error = strings.ToValidUTF8(failure.Error(), "\uFFFD")
	}
	for q := range t.questions {
		r.WithdrawnQuestions = append(r.WithdrawnQuestions, q)
	}
	slices.Sort(r.WithdrawnQuestions)
	return r
}

// ending turns the cause of a turn's context, and only then its agent's word,
// into the turn's end. A step that swallowed the cancellation cannot make the
// turn succeed (law 9), and a stop is never a failure (law 11).
func ending(ctx context.Context, err error) (bellcord.End, *bellcord.Cause) {
	var stop *bellcord.Cause
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &stop):
		return bellcord.EndStopped, stop
	case err != nil:
		return bellcord.EndFailed, nil
	default:
		return bellcord.EndDone, nil
	}
}
