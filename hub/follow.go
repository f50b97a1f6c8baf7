package hub

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub/internal/commitlog"
)

// Cursor is a reader's position in a session's log. It buffers no events and does
// not slow down writers: a reader that falls behind reads from the store.
type Cursor struct{ log *commitlog.Cursor }

// Events returns a cursor behind the given sequence number of a session's log.
// Close it after use.
func (h *Hub) Events(ctx context.Context, id bellcord.SessionID, after int64) (*Cursor, error) {
	c, err := h.log.Follow(ctx, id, after)
	if err != nil {
		return nil, err
	}
	return &Cursor{c}, nil
}

// Next returns the events after the cursor, in order and without a hole, at
// least one, and moves past them. It waits for the log to grow, or for ctx.
func (c *Cursor) Next(ctx context.Context) ([]bellcord.Event, error) { return c.log.Next(ctx) }

// After returns the sequence number the cursor stands behind.
func (c *Cursor) After() int64 { return c.log.After() }

// Close releases the cursor. It must not be used afterwards.
func (c *Cursor) Close() { c.log.Close() }
