package bellcord

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Turn is one prompt and everything done for it, until its one end. It is the
// only thing that can be stopped, and it can be stopped from the moment it is
// accepted. It keeps counts, not its transcript: that is in the log.
type Turn struct {
	ID      TurnID
	Session SessionID
	Prompt  Prompt // as it was accepted

	ctx     context.Context         // the turn's one context; its cause says why the turn stops
	cancel  context.CancelCauseFunc // the one way to stop; the first cause stays
	forced  chan struct{}           // closed when the grace is to be skipped
	idle    chan struct{}           // closed when no work of the turn remains
	settled chan struct{}           // closed when the end is durable; receipt is then there
	receipt Receipt
	writer  *writer
	mayRun  chan struct{} // closed when the turn is first in its session's line
	before  Usage         // of the session, when the turn began; set before its agent runs

	accepted *entry // its way into the store

	// Guarded by the hub's lock.
	text  string // of the prompt, as it is now
	held  bool
	fate  QueueFate // what its stop declared for those behind it
	holds []TurnID
	drops []TurnID

	mu        sync.Mutex
	tally     tally
	questions map[string]open
	asked     int    // questions so far
	after     *Cause // a stop that waits for the next step
}

// ErrTurnEnded answers whoever is too late: an agent that writes, a person that
// answers a question.
var ErrTurnEnded = errors.New("the turn has ended")

func newTurn(session SessionID, p Prompt) *Turn {
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
	ctx := context.WithValue(context.Background(), forcedKey{}, (<-chan struct{})(t.forced))
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	t.tally.times.Accepted = time.Now()
	return t
}

// Accepted returns once the turn is on record, or says why it never will be:
// ErrTurnExists, where another one has its id.
func (t *Turn) Accepted(ctx context.Context) error {
	_, err := t.accepted.wait(ctx)
	return err
}

// Idle is closed when no work of the turn remains; never for one whose agent did
// not return.
func (t *Turn) Idle() <-chan struct{} { return t.idle }

// isIdle reports whether the turn is on record and no work of it remains. Of one
// that is not on record yet nobody can say that it will have an end.
func (t *Turn) isIdle() bool {
	for _, done := range []<-chan struct{}{t.idle, t.accepted.done} {
		select {
		case <-done:
		default:
			return false
		}
	}
	return t.accepted.result.Err == nil
}

// Settled is closed when the turn's end is durable.
func (t *Turn) Settled() <-chan struct{} { return t.settled }

// Receipt returns the turn's end; only after Settled is closed.
func (t *Turn) Receipt() Receipt { return t.receipt }

// stop applies a cause to the turn, at once and without waiting for anything.
func (t *Turn) stop(cause *Cause) {
	switch cause.Mode {
	case AfterStep:
		t.mu.Lock()
		if t.after == nil {
			t.after = cause
		}
		t.mu.Unlock()
		return
	case Force:
		t.mu.Lock()
		select {
		case <-t.forced:
		default:
			close(t.forced)
		}
		t.mu.Unlock()
	case Now, "":
	}
	t.cancel(cause)
}

// cause returns the stop that ended the turn's context, nil if none did.
func (t *Turn) cause() *Cause {
	var c *Cause
	errors.As(context.Cause(t.ctx), &c)
	return c
}

// askedToStop returns the stop that was asked for, also one that waits for a step.
func (t *Turn) askedToStop() *Cause {
	if c := t.cause(); c != nil {
		return c
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.after
}

// observe counts a body into the turn's tally.
func (t *Turn) observe(b Body) {
	t.mu.Lock()
	t.tally.observe(b)
	t.mu.Unlock()
}

// given is a person's answer.
type given struct{ choice, by string }

// open is a question that waits for its answer.
type open struct {
	question Question
	asked    int // how many were asked before it
	answer   chan given
}

// ask registers a question; a stopped turn asks nothing more.
func (t *Turn) ask(q Question) (<-chan given, error) {
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
func (t *Turn) Questions() []Question {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return nil
	}
	opens := slices.SortedFunc(maps.Values(t.questions), func(a, b open) int { return a.asked - b.asked })
	var all []Question
	for _, o := range opens {
		all = append(all, o.question)
	}
	return all
}

// answer hands a choice to whoever asked; a second answer finds no question,
// and one that comes behind a stop finds the turn ended.
func (t *Turn) answer(question string, g given) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return ErrTurnEnded
	}
	o, asked := t.questions[question]
	if !asked {
		return ErrNoQuestion
	}
	delete(t.questions, question)
	o.answer <- g
	return nil
}

// summary is the receipt of the turn as it stands, for the given end.
func (t *Turn) summary(end End, cause *Cause, failure error) Receipt {
	t.mu.Lock()
	defer t.mu.Unlock()
	if cause == nil {
		cause = t.after // asked for, and overtaken by the turn's own end
	}
	r := t.tally.receipt(!errors.Is(failure, errAbandoned))
	r.Abandoned = errors.Is(failure, errAbandoned)
	r.Turn, r.Session, r.End, r.Cause = t.ID, t.Session, end, cause
	r.Times.Settled = time.Now()
	r.Won = CompletionWon
	if end == Stopped {
		r.Won = StopWon
		r.Queue, r.Held, r.Dropped = t.fate, t.holds, t.drops
		if r.Times.Started.IsZero() {
			r.Prompt = t.text // it never ran: the caller gets it back
		}
	}
	if cause != nil {
		r.Times.Requested = cause.At
	}
	if failure != nil && end == Failed {
		r.Error = strings.ToValidUTF8(failure.Error(), "\uFFFD")
	}
	for q := range t.questions {
		r.Questions = append(r.Questions, q)
	}
	slices.Sort(r.Questions)
	return r
}

// ending turns the cause of a turn's context, and only then its agent's word,
// into the turn's end. A step that swallowed the cancellation cannot make the
// turn succeed (law 9), and a stop is never a failure (law 11).
func ending(ctx context.Context, err error) (End, *Cause) {
	var stop *Cause
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &stop):
		return Stopped, stop
	case err != nil:
		return Failed, nil
	default:
		return Done, nil
	}
}

type forcedKey struct{}

// Forced returns a channel that is closed when a stop is to skip its grace; nil
// where ctx is not a turn's.
func Forced(ctx context.Context) <-chan struct{} {
	forced, _ := ctx.Value(forcedKey{}).(<-chan struct{})
	return forced
}
