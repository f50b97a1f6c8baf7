package bellcord

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// ErrStarted answers whoever wants to change a prompt that no longer waits.
var ErrStarted = errors.New("the turn no longer waits")

// Edit changes the text of a turn that waits; the turn stays the same one and
// keeps its place. It does no I/O.
func (h *Hub) Edit(id TurnID, text string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, t, err := h.waiting(id)
	if err != nil {
		return err
	}
	t.text = text
	l.journal.put(EditTurn{Session: t.Session, Turn: id, Text: text, At: time.Now()})
	return nil
}

// Send lets a turn that waits run before all others that do. What runs goes on.
func (h *Hub) Send(id TurnID) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, t, err := h.waiting(id)
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
	l.advance()
	return nil
}

// waiting finds a turn that has not started and is not stopped; the lock is held.
func (h *Hub) waiting(id TurnID) (*line, *Turn, error) {
	t := h.turns[id]
	if t == nil {
		return nil, nil, ErrNoTurn
	}
	l := h.sessions[t.Session]
	if l.running == t || t.cause() != nil {
		return nil, nil, ErrStarted
	}
	return l, t, nil
}

// Release lets the held turns of a session run.
func (h *Hub) Release(session SessionID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.sessions[session]; l != nil {
		for _, t := range l.turns {
			t.held = false
		}
		l.advance()
	}
}

// Standing is how a turn stands that this hub has and that has not settled.
type Standing struct {
	Turn      TurnID     `json:"turn"`
	Place     int        `json:"place"` // in its session's line
	Text      string     `json:"text"`  // of the prompt, as it is now
	State     State      `json:"state"`
	Held      bool       `json:"held,omitempty"`
	Stop      *Cause     `json:"stop,omitempty"` // that it was told
	Questions []Question `json:"questions,omitempty"`
}

// Standing returns how a turn stands; false where this hub does not have it.
func (h *Hub) Standing(id TurnID) (Standing, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.turns[id]
	if t == nil {
		return Standing{}, false
	}
	return h.sessions[t.Session].standing(t), true
}

// Standings returns how turns stand, those that this hub has.
func (h *Hub) Standings(turns []TurnRecord) map[TurnID]Standing {
	all := map[TurnID]Standing{}
	for _, r := range turns {
		if standing, here := h.Standing(r.ID); here {
			all[r.ID] = standing
		}
	}
	return all
}

// Line returns how a session's turns stand, in order.
func (h *Hub) Line(session SessionID) []Standing {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.sessions[session]
	if l == nil {
		return nil
	}
	all := make([]Standing, len(l.turns))
	for i, t := range l.turns {
		all[i] = l.standing(t)
	}
	return all
}

// standing is of a turn in the line; the hub's lock is held.
func (l *line) standing(t *Turn) Standing {
	s := Standing{Turn: t.ID, Place: slices.Index(l.turns, t), Text: t.text, State: Queued, Held: t.held, Stop: t.askedToStop(), Questions: t.Questions()}
	if l.running == t {
		s.State = Running
	}
	return s
}

// Stats counts what a hub has.
type Stats struct {
	Sessions int // open
	Running  int // turns, the waiting ones among them
	Waiting  int // for a person
	Queued   int
	Held     int
	Draining bool // nothing more is accepted
}

// Stats counts what the hub has now.
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

// Running returns the turns that have not settled, in no order.
func (h *Hub) Running() []*Turn {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.turns))
}

// Await returns when a turn has ended, whichever process runs it, or ctx has.
func (h *Hub) Await(ctx context.Context, id TurnID) error {
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
