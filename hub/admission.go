package hub

import "github.com/bellcord/bellcord"

// Admission bounds the turns that a hub has at once: those that run, wait or
// settle. A negative number is no limit; 0 accepts none.
type Admission struct {
	Turns         int
	TurnsPerOwner int
}

// admitLocked reports whether one more turn of the owner fits.
func (h *Hub) admitLocked(owner string) error {
	most := h.opts.Admission
	switch {
	case most == nil:
		return nil
	case most.TurnsPerOwner >= 0 && h.owned[owner] >= most.TurnsPerOwner:
		return bellcord.ErrTooManyOfOwner
	case most.Turns >= 0 && len(h.turns) >= most.Turns:
		return bellcord.ErrTooManyTurns
	}
	return nil
}

// ownLocked counts the turns of an owner.
func (h *Hub) ownLocked(owner string, delta int) {
	if h.owned[owner] += delta; h.owned[owner] == 0 {
		delete(h.owned, owner)
	}
}
