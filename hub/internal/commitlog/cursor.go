package commitlog

import (
	"context"
	"slices"

	"github.com/bellcord/bellcord"
)

// Cursor is a reader's place in a session's log. It holds no events and slows
// nobody: a reader that falls behind reads what it lacks from the store.
type Cursor struct {
	journal *Journal
	after   int64
}

// Next returns the events after the cursor, in order and without a hole, at
// least one, and moves past them. It waits for the log to grow, or for ctx.
func (c *Cursor) Next(ctx context.Context) ([]bellcord.Event, error) {
	for {
		events, grown := c.journal.since(c.after)
		if events == nil && grown == nil {
			var err error
			if events, err = bellcord.ReadEvents(ctx, c.journal.log.store, c.journal.session, c.after); err != nil {
				return nil, err
			}
			if len(events) == 0 {
				return nil, bellcord.MissingEvents(ctx, c.journal.log.store, c.journal.session, c.after)
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

// After returns the sequence number the cursor stands behind.
func (c *Cursor) After() int64 { return c.after }

// Close lets go of the session.
func (c *Cursor) Close() {
	c.journal.log.opts.View(c.journal.session, false)
	c.journal.log.Release(c.journal)
}

// since returns the durable events after seq that are in memory; or a channel
// to wait on when there are none; or neither, when the store has them.
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
	if j.stale.Swap(false) { // the sweep came by while nobody waited
		if err := j.look(ctx); err != nil {
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
