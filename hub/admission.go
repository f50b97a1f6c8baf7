package hub

import "github.com/bellcord/bellcord"

// Admission limits the number of unsettled turns in a hub: running, queued and
// settling. A negative number means no limit; 0 rejects every turn.
type Admission struct {
	Turns         int
	TurnsPerOwner int
}

// admitLocked returns an error if one more turn of the owner would exceed a
// limit.
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

// ownLocked adds delta to the owner's turn count.
func (h *Hub) ownLocked(owner string, delta int) {
	if h.owned[owner] += delta; h.owned[owner] == 0 {
		delete(h.owned, owner)
	}
}
