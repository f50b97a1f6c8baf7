package hub

import (
	"slices"
	"time"

	"github.com/bellcord/bellcord"
)

// The order of a prompt and a stop decides whether the stop affects the turn (law
// 1). Here, the lock of the hub is that order. A prompt and a stop at two processes
// are ordered by their times, which Options.Clock returns. That clock has an error,
// but a prompt and a stop are answered only after a commit, which takes longer. So
// a stop that is sent after a prompt was answered finds a later time, and so does a
// prompt that is sent after a stop was answered.

// receiver is the process that received a stop.
type receiver bool

const (
	here      receiver = false
	elsewhere receiver = true
)

// now returns the time of the clock that the processes share.
func (h *Hub) now() time.Time {
	now, _ := h.opts.Clock()
	return now
}

// follows reports whether the turn was accepted after a stop that another process
// received, or less than the given time before it.
func (t *Turn) follows(stop *bellcord.Cause, margin time.Duration) bool {
	return t.tally.Times.Accepted.Add(margin).After(stop.At)
}

// beforeLocked removes the turns that follow a relayed stop. If the clock's error
// makes the order of a stop of a scope uncertain, the record of the stop decides:
// the store does not have turns whose prompt was sent after the record was
// answered.
func (h *Hub) beforeLocked(turns []*Turn, req bellcord.StopRequest) []*Turn {
	var margin time.Duration
	if req.Turn == "" {
		_, margin = h.opts.Clock()
	}
	return slices.DeleteFunc(turns, func(t *Turn) bool { return t.ID != req.Turn && t.follows(&req.Cause, margin) })
}
