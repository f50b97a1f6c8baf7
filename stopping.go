package bellcord

import (
	"context"
	"errors"
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
	switch t := h.turns[req.Turn]; {
	case req.Turn == "" && req.Everywhere:
		s.elsewhere = h.loose.put(AskStops{Session: req.Session, Owner: req.Owner, Drop: req.Queue == Drop, Cause: req.Cause})
	case req.Turn != "" && t == nil:
		s.named, s.elsewhere = req.Turn, h.stopElsewhere(req)
		return s
	case req.Turn != "" && !h.sessions[t.Session].isOf(req.Owner):
		s.err = ErrNoTurn // somebody else's: it is not there for who asks
		return s
	}
	s.turns = h.scope(req)
	s.asked = h.stopAll(s.turns, req.Cause, req.Queue)
	return s
}

// isOf reports whether the session is within an owner's reach.
func (l *line) isOf(owner string) bool { return owner == "" || l.session.Owner == owner }

// scope resolves a request to the turns it names, now; the lock is held.
func (h *Hub) scope(req StopRequest) []*Turn {
	switch {
	case req.Turn != "":
		t := h.turns[req.Turn]
		if l := h.sessions[t.Session]; req.Queue == Drop && l.running == t {
			return l.targets(req)
		}
		return []*Turn{t}
	case req.Session != "":
		return h.sessions[req.Session].targets(req)
	}
	var all []*Turn
	for _, l := range h.sessions {
		all = append(all, l.targets(req)...)
	}
	return all
}

// targets are the turns of a line that a stop of the session stops.
func (l *line) targets(req StopRequest) []*Turn {
	switch {
	case l == nil || !l.isOf(req.Owner):
		return nil
	case req.Queue == Drop:
		return slices.Clone(l.turns)
	case l.running != nil:
		return []*Turn{l.running}
	}
	return nil
}

// stopAll tells the turns and has the request recorded; the lock is held.
func (h *Hub) stopAll(turns []*Turn, cause Cause, fate QueueFate) []*entry {
	asked := make([]*entry, len(turns))
	for i, t := range turns {
		h.tell(t, &cause, fate)
		asked[i] = h.sessions[t.Session].journal.put(AskStop{Turn: t.ID, Cause: cause})
	}
	return asked
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
func (h *Hub) stopElsewhere(req StopRequest) *entry {
	of, cause := promise{req.Turn, req.Owner}, req.Cause
	if kept := h.early[of]; kept == nil || Overrules(cause, *kept) || cause.At.Sub(kept.At) >= KeepIntent {
		h.early[of] = &cause
	}
	return h.loose.put(AskStop{Turn: req.Turn, Owner: req.Owner, Cause: cause})
}

// Stopping is a stop under way.
type Stopping struct {
	hub       *Hub
	err       error    // why there is nothing that may be stopped
	turns     []*Turn  // of this hub
	asked     []*entry // the requests on their way to the record
	named     TurnID   // the turn that this hub does not have
	elsewhere *entry   // the request to whoever has it, or to all others
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

// Recorded returns when the request is on record, so that it survives this
// process (law 32), or ctx has ended. The turns have been told long before.
func (s *Stopping) Recorded(ctx context.Context) error {
	var err error
	for _, e := range append(s.asked[:len(s.asked):len(s.asked)], s.elsewhere) {
		if e != nil {
			_, one := e.wait(ctx)
			err = errors.Join(err, one)
		}
	}
	return err
}

// Wait returns what became of every turn in the stop's scope, once all have
// settled or ctx has ended; in the latter case with its error. No answers means
// that there was nothing to stop; ErrNoTurn, that the turn is somebody else's.
func (s *Stopping) Wait(ctx context.Context) ([]StopAnswer, error) {
	if s.err != nil {
		return nil, s.err
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
	if s.elsewhere == nil {
		return answers, err
	}
	others, othersErr := s.waitElsewhere(ctx)
	return append(answers, others...), errors.Join(err, othersErr)
}

// waitElsewhere waits for what this hub does not run.
func (s *Stopping) waitElsewhere(ctx context.Context) ([]StopAnswer, error) {
	result, err := s.elsewhere.wait(ctx)
	switch {
	case errors.Is(err, ErrNoTurn):
		return nil, err
	case err != nil && s.named != "":
		return []StopAnswer{{Turn: s.named, State: InProgress}}, err
	case err != nil:
		return nil, err
	case s.named != "" && result.Record == nil:
		return []StopAnswer{{Turn: s.named, State: KeptForLater}}, nil
	case s.named != "":
		result.Records = []TurnRecord{*result.Record}
	}
	answers := make([]StopAnswer, len(result.Records))
	for i, r := range result.Records {
		answers[i] = StopAnswer{Turn: r.ID, State: AlreadyEnded, Receipt: r.Receipt}
		if r.State != Over {
			after, overErr := s.hub.over(ctx, r.ID)
			err = errors.Join(err, overErr)
			answers[i].State, answers[i].Receipt = InProgress, after.Receipt
			if after.Receipt != nil {
				answers[i].State = Settled
			}
		}
	}
	return answers, err
}
