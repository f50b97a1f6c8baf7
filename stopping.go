package bellcord

import (
	"context"
	"slices"
	"time"
)

// Stop is the one path by which anything is stopped. When it returns, every
// turn in its scope has been told; it does no I/O, waits for nobody and takes
// no lock that anybody holds while waiting. The durable record of the request is written
// beside, by the log. Wait on what it returns for the receipts.
func (h *Hub) Stop(req StopRequest) *Stopping {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stop(req)
}

// stop is Stop with the lock held.
func (h *Hub) stop(req StopRequest) *Stopping {
	if req.Cause.Kind == "" {
		req.Cause.Kind = Person
	}
	if req.Queue == "" {
		req.Queue = Hold
	}
	req.Cause.At, req.Cause.Mode = time.Now(), req.Mode
	s := &Stopping{hub: h}
	if req.Turn != "" && h.turns[req.Turn] == nil {
		s.elsewhere = h.stopElsewhere(req.Turn, &req.Cause)
		return s
	}
	s.turns = h.scope(req)
	h.stopAll(s.turns, req.Cause, req.Queue)
	return s
}

// scope resolves a request to the turns it names, now; the lock is held.
func (h *Hub) scope(req StopRequest) []*Turn {
	switch {
	case req.Turn != "":
		t := h.turns[req.Turn]
		if l := h.sessions[t.Session]; req.Queue == Drop && l.running == t {
			return l.targets(Drop)
		}
		return []*Turn{t}
	case req.Session != "":
		return h.sessions[req.Session].targets(req.Queue)
	}
	var all []*Turn
	for _, l := range h.sessions {
		all = append(all, l.targets(req.Queue)...)
	}
	return all
}

// targets are the turns of a line that a stop of the session stops.
func (l *line) targets(fate QueueFate) []*Turn {
	switch {
	case l == nil:
		return nil
	case fate == Drop:
		return slices.Clone(l.turns)
	case l.running != nil:
		return []*Turn{l.running}
	}
	return nil
}

// stopAll tells the turns and has the request recorded; the lock is held.
func (h *Hub) stopAll(turns []*Turn, cause Cause, fate QueueFate) {
	for _, t := range turns {
		h.tell(t, &cause, fate)
		h.sessions[t.Session].journal.put(AskStop{Turn: t.ID, Cause: cause})
	}
}

// tell applies a stop to a turn and declares the fate of those behind it; the
// lock is held.
func (h *Hub) tell(t *Turn, cause *Cause, fate QueueFate) {
	if l := h.sessions[t.Session]; l != nil && l.running == t { // a late word may find the session closed
		t.declare(fate, l.turns)
	}
	t.stop(cause)
}

// hear applies a stop that is on record already: another process's, whichever
// way it came to be known here, or our own once more, which changes nothing.
func (h *Hub) hear(t *Turn, cause *Cause) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cause != nil && t.cause() == nil {
		h.tell(t, cause, Hold)
	}
}

// declare fixes the fate of the turns that wait behind a stopped one; the first
// stop's word holds.
func (t *Turn) declare(fate QueueFate, line []*Turn) {
	if t.fate != "" {
		return
	}
	t.fate = fate
	for _, other := range line {
		if other == t {
			continue
		}
		switch fate {
		case Hold:
			other.held = true
			t.holds = append(t.holds, other.ID)
		case Drop:
			t.drops = append(t.drops, other.ID)
		case Next:
		}
	}
}

// stopElsewhere records a stop for a turn that this hub does not run: it may be
// another process's, it may have ended, it may not have come yet.
func (h *Hub) stopElsewhere(id TurnID, cause *Cause) *ask {
	if kept := h.early[id]; kept == nil || Overrules(*cause, *kept) || cause.At.Sub(kept.At) >= KeepIntent {
		h.early[id] = cause
	}
	return &ask{id: id, entry: h.loose.put(AskStop{Turn: id, Cause: *cause})}
}

// Stopping is a stop under way.
type Stopping struct {
	hub       *Hub
	turns     []*Turn
	elsewhere *ask
}

type ask struct {
	id    TurnID
	entry *entry
}

// StopState says how far a stop has come.
type StopState string

// The states of a stop. KeptForLater: there is no such turn yet; should it come
// within KeepIntent, it is born stopped.
const (
	KeptForLater StopState = "kept"
	InProgress   StopState = "stopping"
	Settled      StopState = "settled"
	AlreadyEnded StopState = "already_ended"
)

// StopAnswer is what a stop did to one turn. The receipt is there once settled.
type StopAnswer struct {
	Turn    TurnID    `json:"turn"`
	State   StopState `json:"state"`
	Receipt *Receipt  `json:"receipt,omitempty"`
}

// lookAgain is how often a stop looks for the end of another process's turn.
const lookAgain = 25 * time.Millisecond

// Wait returns what became of every turn in the stop's scope, once all have
// settled or ctx has ended; in the latter case with its error. No answers means
// that there was nothing to stop.
func (s *Stopping) Wait(ctx context.Context) ([]StopAnswer, error) {
	if s.elsewhere != nil {
		answer, err := s.waitElsewhere(ctx)
		return []StopAnswer{answer}, err
	}
	answers := make([]StopAnswer, len(s.turns))
	var err error
	for i, t := range s.turns {
		answers[i] = StopAnswer{Turn: t.ID, State: InProgress}
		select {
		case <-t.settled:
		default:
			select {
			case <-t.settled:
			case <-ctx.Done():
				err = ctx.Err()
				continue
			}
		}
		receipt := t.receipt
		answers[i].Receipt = &receipt
		if !receipt.Unsettled {
			answers[i].State = Settled
		}
	}
	return answers, err
}

func (s *Stopping) waitElsewhere(ctx context.Context) (StopAnswer, error) {
	answer := StopAnswer{Turn: s.elsewhere.id, State: InProgress}
	result, err := s.elsewhere.entry.wait(ctx)
	if err != nil {
		return answer, err
	}
	if result.Record == nil {
		answer.State = KeptForLater
		return answer, nil
	}
	if result.Record.State == Over {
		answer.State, answer.Receipt = AlreadyEnded, result.Record.Receipt
		return answer, nil
	}
	for {
		record, err := s.hub.log.store.Turn(ctx, answer.Turn)
		if err != nil {
			return answer, err
		}
		if record.State == Over {
			answer.State, answer.Receipt = Settled, record.Receipt
			return answer, nil
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return answer, ctx.Err()
		}
	}
}
