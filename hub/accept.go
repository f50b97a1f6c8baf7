package hub

import (
	"context"

	"github.com/bellcord/bellcord"
)

// awaitAccepted returns when the turn is on record, or withdraws it: a prompt
// whose caller was not told that it is accepted does not run later.
func (h *Hub) awaitAccepted(ctx context.Context, t *Turn) error {
	err := t.accepted.WaitOrWithdraw(ctx)
	if err == nil || !t.accepted.IsWithdrawn() {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	untitled := len(t.titled) > 0
	for _, e := range t.titled {
		untitled = e.Withdraw() && untitled
	}
	if l := h.sessions[t.Session]; untitled && l != nil && l.session.Title == bellcord.FirstWords(t.Prompt.Text) {
		l.session.Title = ""
	}
	return err
}

// Failing returns why the hub refuses prompts and new sessions, nil while the
// store works. It does no I/O.
func (h *Hub) Failing() error { return h.log.Failing() }

// commit makes an op durable. It withdraws the op when ctx ends or the store
// fails: then it returns ErrStoreDown or the cause of ctx, and the op has not
// happened and never will. ErrUnknown means that it may have.
func (h *Hub) commit(ctx context.Context, op bellcord.Op) error {
	if err := h.Failing(); err != nil {
		return err
	}
	return h.loose.Put(op).WaitOrWithdraw(ctx)
}
