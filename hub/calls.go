package hub

import (
	"context"
	"slices"

	"github.com/bellcord/bellcord"
)

// runningCall is a call that can be stopped alone.
type runningCall struct {
	id     string
	cancel context.CancelCauseFunc
}

// CallContext returns a context for one call of the turn. It ends with ctx, or
// when a stop names the call: the agent then ends the call with the outcome
// CallStopped and continues the turn. done frees the context and must be called
// when the call has ended.
func (w *Work) CallContext(ctx context.Context, call string) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	t, c := w.turn, &runningCall{bellcord.ValidName(call), cancel}
	t.mu.Lock()
	t.calls = append(t.calls, c)
	t.mu.Unlock()
	return ctx, func() {
		t.mu.Lock()
		t.calls = slices.DeleteFunc(t.calls, func(other *runningCall) bool { return other == c })
		t.mu.Unlock()
		cancel(nil)
	}
}

// stopCallLocked stops one call of a turn.
func (h *Hub) stopCallLocked(req bellcord.StopRequest) error {
	t := h.turns[req.Turn]
	if t == nil || !h.sessions[t.Session].isOf(req.Owner) {
		return bellcord.ErrNoTurn
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.calls, func(c *runningCall) bool { return c.id == req.Call })
	if i < 0 {
		return bellcord.ErrNoCall
	}
	t.calls[i].cancel(&req.Cause)
	return nil
}
