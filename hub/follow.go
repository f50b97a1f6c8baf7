package hub

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub/internal/commitlog"
)

// Cursor is a reader's position in a session's log. It buffers no events and does
// not slow down writers: a reader that falls behind reads from the store.
type Cursor struct{ log *commitlog.Cursor }

// Events returns a cursor that reads a session's log after the given sequence
// number. Close it after use. It returns ErrNoSession for a session that the store
// does not have.
func (h *Hub) Events(ctx context.Context, id bellcord.SessionID, after int64) (*Cursor, error) {
	c, err := h.log.Follow(ctx, id, after)
	if err != nil {
		return nil, err
	}
	if c.AtEnd() { // otherwise the store has the session
		if _, err := h.Session(ctx, id); err != nil {
			c.Close()
			return nil, err
		}
	}
	return &Cursor{c}, nil
}

// Next returns the events after the cursor and moves past them: at least one, in
// order and without gaps. It blocks until the log grows or ctx ends.
func (c *Cursor) Next(ctx context.Context) ([]bellcord.Event, error) { return c.log.Next(ctx) }

// AtEnd reports whether the cursor has passed all events that are durable now.
func (c *Cursor) AtEnd() bool { return c.log.AtEnd() }

// After returns the sequence number of the last event that the cursor has passed.
func (c *Cursor) After() int64 { return c.log.After() }

// Close releases the cursor. It must not be used afterwards.
func (c *Cursor) Close() { c.log.Close() }
