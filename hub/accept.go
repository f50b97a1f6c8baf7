package hub

import (
	"context"

	"github.com/bellcord/bellcord/internal/clip"
	"github.com/bellcord/bellcord/store"
)

// awaitAccepted returns when the turn is durable. On failure it withdraws the
// turn, so that a prompt never runs after its caller got an error.
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
	if l := h.sessions[t.Session]; untitled && l != nil && l.session.Title == clip.FirstWords(t.Prompt.Text) {
		l.session.Title, l.session.AutoTitle = "", false
	}
	return err
}

// Health returns the reason why the hub rejects prompts and new sessions, or nil
// while the store works. It does no I/O.
func (h *Hub) Health() error { return h.log.Failing() }

// commit makes an op durable. If ctx ends or the store fails first, commit
// withdraws the op and returns the cause of ctx or ErrStoreDown; the op is then
// never applied. ErrUnknown means that the op may have been applied.
func (h *Hub) commit(ctx context.Context, op store.Op) error {
	if err := h.Health(); err != nil {
		return err
	}
	return h.loose.Put(op).WaitOrWithdraw(ctx)
}
