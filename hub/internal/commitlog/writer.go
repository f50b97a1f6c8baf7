package commitlog

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Writer appends a turn's events to the log. After Seal, every write fails with
// ErrTurnEnded.
type Writer struct {
	journal  *Journal
	turn     bellcord.TurnID
	answered func(store.Result) // called by the committer with the result of each append
	fence    int64
	n        int64
	open     *Entry // the append that still waits and accepts more bodies
	sealed   bool
	lastly   *Entry // the newest append
}

// NewWriter returns the writer of a turn in the journal's session. The committer
// calls answered with the result of each append; answered must not block.
func NewWriter(j *Journal, turn bellcord.TurnID, answered func(store.Result)) *Writer {
	return &Writer{journal: j, turn: turn, answered: answered}
}

// SetFence sets the fence of later appends.
func (w *Writer) SetFence(fence int64) {
	w.journal.mu.Lock()
	w.fence = fence
	w.journal.mu.Unlock()
}

// Fence returns the fence of the turn's claim, or 0 before the claim.
func (w *Writer) Fence() int64 {
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	return w.fence
}

// Write queues a body. It joins it to the previous one if both are pieces of the
// same stream. Write blocks only while more than mostWaiting bytes are not
// durable, and not after ctx ends.
//
// Once ctx has ended, Write accepts a body only if late is set, and then does not
// block; for other bodies it returns the cause of ctx. The check and the queueing
// happen under one lock, and a stop ends ctx before it queues its own record.
// Therefore no text of the turn follows that record.
func (w *Writer) Write(ctx context.Context, body bellcord.Body, late bool) error {
	j, size := w.journal, sizeOf(body)
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.size > mostWaiting && !w.sealed && ctx.Err() == nil {
		room := j.drained
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
		now, _ := j.log.opts.Clock()
		op := store.AppendEvents{Session: j.session, Turn: w.turn, Fence: w.fence, N: w.n, At: now}
		w.open = &Entry{journal: j, op: op, writer: w, done: make(chan struct{})}
		w.lastly = w.open
		j.enqueueLocked(w.open, 0)
	}
	op := w.open.op.(store.AppendEvents)
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

// Sync returns when everything written is durable, or with an error when ctx
// ends.
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

// Seal makes every later write fail with ErrTurnEnded.
func (w *Writer) Seal() {
	w.journal.mu.Lock()
	w.sealed = true
	w.journal.mu.Unlock()
}
