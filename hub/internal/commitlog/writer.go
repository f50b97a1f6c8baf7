package commitlog

import (
	"context"
	"time"

	"github.com/bellcord/bellcord"
)

// Writer appends a turn's events to the log. After Seal, every write fails with
// ErrTurnEnded.
type Writer struct {
	journal  *Journal
	turn     bellcord.TurnID
	answered func(bellcord.Result) // called by the committer with the answer to each append
	fence    int64
	n        int64
	open     *Entry // the append that still waits, to which more may be joined
	sealed   bool
	lastly   *Entry // the newest append
}

// NewWriter returns the writer of a turn in the journal's session. The committer
// calls answered with the answer to each append: it must not wait for anything.
func NewWriter(j *Journal, turn bellcord.TurnID, answered func(bellcord.Result)) *Writer {
	return &Writer{journal: j, turn: turn, answered: answered}
}

// SetFence sets the fence that later appends carry.
func (w *Writer) SetFence(fence int64) {
	w.journal.mu.Lock()
	w.fence = fence
	w.journal.mu.Unlock()
}

// Fence returns the fence of the turn's claim, 0 before it.
func (w *Writer) Fence() int64 {
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	return w.fence
}

// Write queues a body, joined to the last one where they are pieces of one
// stream. It blocks only while more than mostWaiting bytes are not durable, and
// never past the end of ctx.
//
// Once ctx has ended, Write accepts a body only if late is set, and then does not
// block; it returns the cause of ctx for every other body. The check and the
// queueing happen under one lock, and a stop ends ctx before it queues its own
// record: no text of the turn follows that record.
func (w *Writer) Write(ctx context.Context, body bellcord.Body, late bool) error {
	j, size := w.journal, sizeOf(body)
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.size > mostWaiting && !w.sealed && ctx.Err() == nil {
		room := j.room
		j.mu.Unlock()
		select {
		case <-room:
			j.mu.Lock()
		case <-ctx.Done():
			j.mu.Lock()
		}
	}
	if w.sealed {
		return bellcord.ErrTurnEnded
	}
	if ctx.Err() != nil && !late {
		return context.Cause(ctx)
	}
	if w.open == nil {
		w.n++
		op := bellcord.AppendEvents{Session: j.session, Turn: w.turn, Fence: w.fence, N: w.n, At: time.Now()}
		w.open = &Entry{journal: j, op: op, writer: w, done: make(chan struct{})}
		w.lastly = w.open
		j.enqueueLocked(w.open, 0)
	}
	op := w.open.op.(bellcord.AppendEvents)
	if n := len(op.Bodies); n > 0 {
		if both, ok := bellcord.JoinBodies(op.Bodies[n-1], body); ok {
			op.Bodies[n-1] = both
			j.size += size
			return nil
		}
	}
	op.Bodies = append(op.Bodies, body)
	w.open.op = op
	j.size += size
	return nil
}

// Sync returns when all that was written is durable.
func (w *Writer) Sync(ctx context.Context) error {
	w.journal.mu.Lock()
	e := w.lastly
	w.journal.hurry()
	w.journal.mu.Unlock()
	if e == nil {
		return nil
	}
	_, err := e.Wait(ctx)
	return err
}

// Seal refuses every later write.
func (w *Writer) Seal() {
	w.journal.mu.Lock()
	w.sealed = true
	w.journal.mu.Unlock()
}
