package hub

import (
	"context"
	"maps"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Edit changes the text of a queued turn. The turn keeps its ID and its position.
// Edit does no I/O. An edit to the text that the turn already has changes and
// records nothing, so that an edit can be sent again. Otherwise Edit returns
// ErrNoTurn if this hub does not have the turn, and ErrStarted if the turn runs or
// is stopped.
func (h *Hub) Edit(id bellcord.TurnID, text string) error {
	if len(text) > bellcord.MaxPromptText {
		return bellcord.ErrPromptTooLong
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.turns[id]; t != nil && t.text == text {
		return nil
	}
	l, t, err := h.waitingLocked(id)
	if err != nil {
		return err
	}
	t.text = text
	l.journal.Put(store.EditTurn{Session: t.Session, Turn: id, Text: text, At: h.now()})
	return nil
}

// MoveToFront moves a queued turn to the front of its queue and releases it if it is
// held. The running turn is not affected. It returns the same errors as Edit.
func (h *Hub) MoveToFront(id bellcord.TurnID) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, t, err := h.waitingLocked(id)
	if err != nil {
		return err
	}
	t.held = false
	l.turns = slices.DeleteFunc(l.turns, func(other *Turn) bool { return other == t })
	first := 0
	if l.running != nil {
		first = slices.Index(l.turns, l.running) + 1
	}
	l.turns = slices.Insert(l.turns, first, t)
	l.advanceLocked()
	return nil
}

// waitingLocked returns a turn that has not started and is not stopped.
func (h *Hub) waitingLocked(id bellcord.TurnID) (*line, *Turn, error) {
	t := h.turns[id]
	if t == nil {
		return nil, nil, bellcord.ErrNoTurn
	}
	l := h.sessions[t.Session]
	if l.running == t || t.cause() != nil {
		return nil, nil, bellcord.ErrStarted
	}
	return l, t, nil
}

// Release lets held turns of a session run, in their order in the queue: the
// given ones, or all if none is given. It does no I/O.
func (h *Hub) Release(session bellcord.SessionID, turns ...bellcord.TurnID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.sessions[session]; l != nil {
		for _, t := range l.turns {
			if len(turns) == 0 || slices.Contains(turns, t.ID) {
				t.held = false
			}
		}
		l.advanceLocked()
	}
}

// QueueEntry returns the state of a turn and reports whether this hub has it. It
// does not have a turn until its acceptance is durable: until then, the turn in the
// store with this ID may be of another process, which got the same prompt.
func (h *Hub) QueueEntry(id bellcord.TurnID) (bellcord.QueueEntry, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.turns[id]
	if t == nil || !t.isAccepted() {
		return bellcord.QueueEntry{}, false
	}
	return h.sessions[t.Session].standingLocked(t), true
}

// QueueEntries returns the states of the given turns that this hub has.
func (h *Hub) QueueEntries(turns []store.TurnRecord) map[bellcord.TurnID]bellcord.QueueEntry {
	all := map[bellcord.TurnID]bellcord.QueueEntry{}
	for _, r := range turns {
		if standing, local := h.QueueEntry(r.ID); local {
			all[r.ID] = standing
		}
	}
	return all
}

// Queue returns the states of a session's unsettled turns, in order.
func (h *Hub) Queue(session bellcord.SessionID) []bellcord.QueueEntry {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[session]
	if l == nil {
		return nil
	}
	all := make([]bellcord.QueueEntry, len(l.turns))
	for i, t := range l.turns {
		all[i] = l.standingLocked(t)
	}
	return all
}

// standingLocked returns the state of a turn in the session's queue.
func (l *line) standingLocked(t *Turn) bellcord.QueueEntry {
	s := bellcord.QueueEntry{Turn: t.ID, Position: slices.Index(l.turns, t), Text: t.text, State: bellcord.StateQueued, Held: t.held, StopRequest: t.stopRequested(), Questions: t.Questions()}
	if l.running == t {
		s.State = bellcord.StateRunning
	}
	return s
}

// Stats returns the number of open sessions and of turns by state.
func (h *Hub) Stats() Stats {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := Stats{Sessions: len(h.sessions), Draining: h.draining}
	for _, l := range h.sessions {
		for _, t := range l.turns {
			switch {
			case l.running == t:
				s.Running++
				if len(t.Questions()) > 0 {
					s.Waiting++
				}
			case t.held:
				s.Held++
			default:
				s.Queued++
			}
		}
	}
	return s
}

// Unsettled returns the turns that have not settled, in no particular order.
func (h *Hub) Unsettled() []*Turn {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.turns))
}

// Working reports whether the agent of a turn of the session is running in this
// process. It is false as soon as a reader of the log can see the turn's end.
func (h *Hub) Working(session bellcord.SessionID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[session]
	return l != nil && l.running != nil && l.running.phase == phaseWorking
}

// Await returns when a turn has ended, whichever process runs it, or with an
// error when ctx ends.
func (h *Hub) Await(ctx context.Context, id bellcord.TurnID) error {
	h.mu.Lock()
	t := h.turns[id]
	h.mu.Unlock()
	if t != nil {
		select {
		case <-t.settled:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	_, err := h.over(ctx, id)
	return err
}
