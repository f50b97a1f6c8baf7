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

// Turn is one prompt and everything done for it, until its end. It can be stopped
// from the moment it is accepted. A Turn keeps counts; its transcript is in the
// log.
type Turn struct {
	ID      bellcord.TurnID
	Session bellcord.SessionID
	Prompt  bellcord.Prompt // as accepted

	ctx     context.Context         // the turn's only context; its cause is the reason of the stop
	cancel  context.CancelCauseFunc // the only way to stop the turn; the first cause is kept
	forced  chan struct{}           // closed by a forced stop, which skips the grace period
	idle    chan struct{}           // closed when no work of the turn remains
	settled chan struct{}           // closed when the end is durable; receipt is set before
	receipt bellcord.Receipt
	writer  *commitlog.Writer
	mayRun  chan struct{}  // closed when the turn is first in its session's queue
	before  bellcord.Usage // the session's usage before the turn; set before the agent runs

	accepted  *commitlog.Entry   // the log entry of the acceptance
	titled    []*commitlog.Entry // the log entries of the session title set from this prompt
	withdrawn bool               // the acceptance was withdrawn; set before settled is closed

	// Protected by Hub.mu.
	phase phase
	text  string // the prompt's text, as last edited
	held  bool
	fate  bellcord.QueueAction // the first stop's decision for the turns behind this one
	holds []bellcord.TurnID
	drops []bellcord.TurnID

	hasNext bool          // next is closed
	next    chan struct{} // closed when a turn is queued while this one runs; not protected

	mu            sync.Mutex
	tally         lifecycle.Tally
	bounds        bounds
	questions     map[string]open
	questionCount int             // number of questions so far
	calls         []*runningCall  // that can be stopped alone
	after         *bellcord.Cause // a stop that waits for the next step
}

// phase is the part of its life that a turn is in. It only grows.
type phase int

const (
	phaseWaiting phase = iota // in the queue, or being claimed
	phaseWorking              // the agent is running
	phaseSealed               // the agent can add nothing; the end is durable or will be
)

func newTurn(session bellcord.SessionID, p bellcord.Prompt, now time.Time) *Turn {
	t := &Turn{
		ID: p.Turn, Session: session, Prompt: p, text: p.Text,
		forced:    make(chan struct{}),
		idle:      make(chan struct{}),
		settled:   make(chan struct{}),
		mayRun:    make(chan struct{}),
		next:      make(chan struct{}),
		questions: map[string]open{},
	}
	// A request's context is never the parent of a turn's context: only a cause
	// given to cancel ends a turn.
	ctx := bellcord.WithForced(context.Background(), t.forced)
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	t.tally.Times.Accepted = now
	return t
}

// Accepted returns nil once the turn is durable. Otherwise it returns the reason
// why the turn was not accepted, ErrTurnExists if another turn has its ID, or the
// error of ctx.
func (t *Turn) Accepted(ctx context.Context) error {
	_, err := t.accepted.Wait(ctx)
	return err
}

// Idle returns a channel that is closed when no work of the turn remains. It is
// never closed if the agent did not return.
func (t *Turn) Idle() <-chan struct{} { return t.idle }

// isAccepted reports whether the turn's acceptance is durable.
func (t *Turn) isAccepted() bool {
	select {
	case <-t.accepted.Done():
		return t.accepted.Result().Err == nil
	default:
		return false
	}
}

// isIdle reports whether the turn's acceptance is durable and no work of it
// remains. Without a durable acceptance the turn may never have an end.
func (t *Turn) isIdle() bool {
	select {
	case <-t.idle:
		return t.isAccepted()
	default:
		return false
	}
}

// Settled returns a channel that is closed when the turn has settled: its end is
// durable, or the receipt has EndNotDurable set.
func (t *Turn) Settled() <-chan struct{} { return t.settled }

// Receipt returns the turn's receipt. It must not be called before Settled is
// closed.
func (t *Turn) Receipt() bellcord.Receipt { return t.receipt }

// stopLocked applies a cause to the turn. It does not block. It requires Hub.mu.
func (t *Turn) stopLocked(cause *bellcord.Cause) {
	if t.phase == phaseWaiting {
		now := lifecycle.BeforeStart(*cause)
		cause = &now
	}
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

// cause returns the stop that ended the turn's context, or nil.
func (t *Turn) cause() *bellcord.Cause {
	var c *bellcord.Cause
	errors.As(context.Cause(t.ctx), &c)
	return c
}

// stopRequested returns the stop requested for the turn, including one deferred to
// the next step, or nil.
func (t *Turn) stopRequested() *bellcord.Cause {
	if c := t.cause(); c != nil {
		return c
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.after
}

// observe adds a body to the turn's tally.
func (t *Turn) observe(b bellcord.Body) {
	t.mu.Lock()
	t.tally.Observe(b)
	t.mu.Unlock()
}

// recordsLate reports whether b is recorded after a stop: the outcome of a
// recorded call, the usage of a model request, or the hosted agent's session for
// the next turn.
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

// bounded returns the bodies to record for b, see bounds.apply. After a stop,
// output is not held but passed on, and the writer drops it.
func (t *Turn) bounded(b bellcord.Body) ([]bellcord.Body, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, output := b.(bellcord.ToolOutputDelta); output && t.ctx.Err() != nil {
		return []bellcord.Body{b}, nil
	}
	return t.bounds.apply(b)
}

// hasOpen reports whether the call is recorded and has not ended.
func (t *Turn) hasOpen(call string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tally.IsOpen(call)
}

// given is a person's answer.
type given struct {
	reply bellcord.Reply
	by    string
}

// open is an unanswered question.
type open struct {
	question bellcord.Question
	number   int // number of the question in its turn
	answer   chan given
}

// openQuestion registers a question. It fails with the turn's cause after a stop.
func (t *Turn) openQuestion(q bellcord.Question) (<-chan given, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return nil, context.Cause(t.ctx)
	}
	t.questionCount++
	answer := make(chan given, 1)
	t.questions[q.ID] = open{question: q, number: t.questionCount, answer: answer}
	return answer, nil
}

// Questions returns the open questions in the order they were opened, or nil
// after a stop.
func (t *Turn) Questions() []bellcord.Question {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return nil
	}
	opens := slices.SortedFunc(maps.Values(t.questions), func(a, b open) int { return a.number - b.number })
	var all []bellcord.Question
	for _, o := range opens {
		all = append(all, o.question)
	}
	return all
}

// closeQuestion removes a question that the log does not contain.
func (t *Turn) closeQuestion(question string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.questions, question)
}

// withdrawQuestion removes a question that its agent no longer needs. It changes
// nothing and returns false after a stop.
func (t *Turn) withdrawQuestion(question string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return false
	}
	delete(t.questions, question)
	return true
}

// answerQuestion passes an answer to the agent that waits for it. A second
// answer fails with ErrNoQuestion, an answer after a stop fails with
// ErrTurnEnded, and an answer that does not fit leaves the question open.
func (t *Turn) answerQuestion(question string, g given) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return bellcord.ErrTurnEnded
	}
	o, exists := t.questions[question]
	if !exists {
		return bellcord.ErrNoQuestion
	}
	var err error
	if g.reply, err = o.question.CheckReply(g.reply); err != nil {
		return err
	}
	delete(t.questions, question)
	o.answer <- g
	return nil
}

// summaryLocked returns the receipt of the turn for the given end. It requires
// Hub.mu.
func (t *Turn) summaryLocked(end bellcord.End, cause *bellcord.Cause, failure error, now time.Time) bellcord.Receipt {
	t.mu.Lock()
	defer t.mu.Unlock()
	if cause == nil {
		cause = t.after // deferred to the next step, but the turn ended first
	}
	r := t.tally.Receipt(!errors.Is(failure, errAbandoned))
	r.AgentAbandoned = errors.Is(failure, errAbandoned)
	r.Turn, r.Session, r.End, r.Cause = t.ID, t.Session, end, cause
	r.Times.Settled = now
	r.RaceWinner = bellcord.CompletionWon
	if end == bellcord.EndStopped {
		r.RaceWinner = bellcord.StopWon
		r.Queue, r.HeldTurns, r.DroppedTurns = t.fate, t.holds, t.drops
		if r.Times.Started.IsZero() {
			r.Prompt = t.text // the turn never ran: return the prompt to the caller
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

// ending determines the turn's end from the cause of its context, and only then
// from the agent's error. A step that ignored the cancellation cannot make the
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
