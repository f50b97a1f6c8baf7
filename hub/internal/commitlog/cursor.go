package commitlog

import (
	"context"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Cursor is a reader's position in a session's log. It buffers no events and does
// not slow down writers: a reader that falls behind reads from the store.
type Cursor struct {
	journal *Journal
	after   int64
}

// Next returns the events after the cursor and moves past them: at least one, in
// order and without gaps. It blocks until the log grows or ctx ends.
func (c *Cursor) Next(ctx context.Context) ([]bellcord.Event, error) {
	for {
		events, grown := c.journal.since(c.after)
		if events == nil && grown == nil {
			var err error
			if events, err = store.ReadEvents(ctx, c.journal.log.store, c.journal.session, c.after); err != nil {
				return nil, err
			}
			if len(events) == 0 {
				return nil, store.MissingEvents(ctx, c.journal.log.store, c.journal.session, c.after)
			}
		}
		if len(events) > 0 {
			c.after = events[len(events)-1].Seq
			return events, nil
		}
		if err := c.journal.await(ctx, grown); err != nil {
			return nil, err
		}
	}
}

// After returns the sequence number of the last event that the cursor has passed.
func (c *Cursor) After() int64 { return c.after }

// AtEnd reports whether the cursor has passed all events that are durable now.
func (c *Cursor) AtEnd() bool {
	c.journal.mu.Lock()
	defer c.journal.mu.Unlock()
	return c.after >= c.journal.last
}

// Close releases the cursor's journal.
func (c *Cursor) Close() {
	c.journal.log.opts.View(c.journal.session, false)
	c.journal.log.Release(c.journal)
}

// since returns the durable events after seq if they are in memory. If there are
// none, it returns a channel that is closed when the log grows. If only the store
// has them, it returns nil and nil.
func (j *Journal) since(seq int64) ([]bellcord.Event, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if seq >= j.last {
		return nil, j.grown
	}
	if n := len(j.tail); n > 0 && seq >= j.tail[0].Seq-1 && seq < j.tail[n-1].Seq {
		return slices.Clone(j.tail[seq-j.tail[0].Seq+1:]), nil
	}
	return nil, nil
}

func (j *Journal) await(ctx context.Context, grown <-chan struct{}) error {
	j.waiting.Add(1)
	defer j.waiting.Add(-1)
	if j.stale.Swap(false) { // a refresh skipped this journal because it had no waiting reader
		if err := j.readHead(ctx); err != nil {
			return err
		}
	}
	select {
	case <-grown:
		return nil
	case <-j.log.closing:
		return bellcord.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
