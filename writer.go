package bellcord

import (
	"context"
	"time"
)

// writer is a turn's pen. After seal nothing more gets in, whoever holds it.
type writer struct {
	journal *journal
	turn    *Turn
	hear    func(*Turn, *Cause) // tells the hub of a stop on the turn's record
	fence   int64
	n       int64
	open    *entry // the append that still waits, to which more may be joined
	sealed  bool
	lastly  *entry // the newest append
}

// write queues a body, joined to the last one where they are pieces of one
// stream. It blocks only while more than mostWaiting bytes are not durable, and
// never past the end of ctx.
func (w *writer) write(ctx context.Context, body Body) error {
	j, size := w.journal, sizeOf(body)
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.size > mostWaiting && !w.sealed {
		room := j.room
		j.mu.Unlock()
		select {
		case <-room:
			j.mu.Lock()
		case <-ctx.Done():
			j.mu.Lock()
			return context.Cause(ctx)
		}
	}
	if w.sealed {
		return ErrTurnEnded
	}
	if w.open == nil {
		w.n++
		op := AppendEvents{Session: j.session, Turn: w.turn.ID, Fence: w.fence, N: w.n, At: time.Now()}
		w.open = &entry{journal: j, op: op, writer: w, done: make(chan struct{})}
		w.lastly = w.open
		j.add(w.open, 0)
	}
	op := w.open.op.(AppendEvents)
	if n := len(op.Bodies); n > 0 {
		if both, ok := joined(op.Bodies[n-1], body); ok {
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

// sync returns when all that was written is durable.
func (w *writer) sync(ctx context.Context) error {
	w.journal.mu.Lock()
	e := w.lastly
	w.journal.hurry()
	w.journal.mu.Unlock()
	if e == nil {
		return nil
	}
	_, err := e.wait(ctx)
	return err
}

// seal refuses every later write.
func (w *writer) seal() {
	w.journal.mu.Lock()
	w.sealed = true
	w.journal.mu.Unlock()
}

// answered is told what the store said to one of the turn's appends: it is how
// a stop that came in through another process is heard at the next commit.
func (w *writer) answered(r Result) {
	switch {
	case r.Err != nil:
		w.turn.cancel(r.Err)
	case r.Stop.cutsNow():
		w.hear(w.turn, r.Stop)
	}
}
