package bellcord

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
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
	if !req.Relayed {
		req.Cause.At, req.Cause.Mode, req.Cause.Queue = time.Now(), req.Mode, req.Queue
		if req.Mode == Now {
			req.Cause.Mode = ""
		}
		if req.Queue == Hold {
			req.Cause.Queue = ""
		}
	}
	s := &Stopping{hub: h, cause: req.Cause}
	switch t := h.turns[req.Turn]; {
	case req.Turn == "" && req.Everywhere && !req.Relayed:
		s.elsewhere = h.loose.put(AskStops{Session: req.Session, Owner: req.Owner, Drop: req.Queue == Drop, Cause: req.Cause})
		h.peers.Stop(req)
	case req.Turn != "" && t == nil && req.Relayed:
		h.keepEarly(req, keepRelayed)
		s.err = ErrNoTurn
		return s
	case req.Turn != "" && t == nil:
		s.named, s.elsewhere = req.Turn, h.stopElsewhere(req)
		return s
	case req.Turn != "" && !h.sessions[t.Session].isOf(req.Owner):
		s.err = ErrNoTurn // somebody else's: it is not there for who asks
		return s
	}
	s.turns = h.scope(req)
	if req.Relayed {
		h.relayed(s.turns, req)
		return s
	}
	s.asked = h.stopAll(s.turns, req.Cause, req.Queue)
	return s
}

// relayed tells turns of a stop that another process records; the lock is held.
func (h *Hub) relayed(turns []*Turn, req StopRequest) {
	for _, t := range turns {
		h.tell(t, &req.Cause, req.Queue)
	}
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
	// Everything.
	var all []*Turn
	for _, l := range h.sessions {
		all = append(all, l.targets(req)...)
	}
	return all
}

// targets are the turns of a line that a stop of the session stops.
func (l *line) targets(req StopRequest) []*Turn {
	var all []*Turn
	switch {
	case l == nil || !l.isOf(req.Owner):
	case req.Queue == Drop:
		all = slices.Clone(l.turns)
	case l.running != nil:
		all = []*Turn{l.running}
	}
	if req.Relayed && req.Turn == "" { // what came behind the request is not meant
		all = slices.DeleteFunc(all, func(t *Turn) bool { return t.tally.times.Accepted.After(req.Cause.At) })
	}
	return all
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
	if cause == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case t.cause() == nil:
		for _, meant := range h.meant(t, cause) {
			h.tell(meant, cause, cause.fate())
		}
	case cause.Mode == Force:
		t.stop(cause)
	}
}

// meant are the turns that a stop of one is for: with Drop also those that waited
// behind it when it was asked for. The lock is held.
func (h *Hub) meant(t *Turn, cause *Cause) []*Turn {
	l := h.sessions[t.Session]
	if l == nil || l.running != t || cause.Queue != Drop {
		return []*Turn{t}
	}
	return slices.DeleteFunc(slices.Clone(l.turns), func(other *Turn) bool {
		return other != t && other.tally.times.Accepted.After(cause.At)
	})
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
	h.keepEarly(req, KeepIntent)
	h.peers.Stop(req)
	return h.loose.put(AskStop{Turn: req.Turn, Owner: req.Owner, Cause: req.Cause})
}

// keepRelayed is how long a stop is kept that another process received: its turn
// may be on its way here, and the record takes a moment, too.
const keepRelayed = 10 * time.Second

// keepEarly keeps a stop whose turn may still come.
func (h *Hub) keepEarly(req StopRequest, keep time.Duration) {
	of, now := promise{req.Turn, req.Owner}, time.Now()
	if had, is := h.early[of]; !is || Overrules(req.Cause, *had.cause) || !now.Before(had.until) {
		h.early[of] = kept{&req.Cause, now.Add(keep)}
	}
}

// Stopping is a stop under way.
type Stopping struct {
	hub       *Hub
	cause     Cause
	err       error    // why there is nothing that may be stopped
	turns     []*Turn  // of this hub
	asked     []*entry // the requests on their way to the record
	named     TurnID   // the turn that this hub does not have
	elsewhere *entry   // the request to whoever has it, or to all others
	settled   atomic.Bool
}

// Turns are those that this hub has in the stop's scope.
func (s *Stopping) Turns() []*Turn { return s.turns }

// StopState says how far a stop has come.
type StopState string

// The states of a stop. KeptForLater: there is no such turn yet; should it come
// within KeepIntent, it is born stopped. WorkEnded: no work of the turn remains,
// and its end is on its way to the record.
const (
	KeptForLater StopState = "kept"
	InProgress   StopState = "stopping"
	WorkEnded    StopState = "stopped"
	Settled      StopState = "settled"
	AlreadyEnded StopState = "already_ended"
)

// UnderWay reports whether the turn's end is still to come.
func (s StopState) UnderWay() bool { return s == InProgress || s == WorkEnded }

// StopAnswer is what a stop did to one turn. The receipt is there once settled.
type StopAnswer struct {
	Turn    TurnID    `json:"turn"`
	State   StopState `json:"state"`
	Receipt *Receipt  `json:"receipt,omitempty"`
}

// Recorded returns when the request is on record, so that it survives this
// process (law 32), or ctx has ended. The turns have been told long before. Where
// all have settled, their ends are the record.
func (s *Stopping) Recorded(ctx context.Context) error {
	if s.settled.Load() {
		return nil
	}
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
				if t.isIdle() {
					answers[i].State = WorkEnded
				}
				continue
			}
		}
		receipt := t.receipt
		answers[i].Receipt = &receipt
		if !receipt.Unsettled {
			answers[i].State = Settled
		}
	}
	if s.elsewhere != nil {
		others, othersErr := s.waitElsewhere(ctx)
		answers, err = append(answers, others...), errors.Join(err, othersErr)
	}
	settled := func(a StopAnswer) bool { return a.State == Settled || a.State == AlreadyEnded }
	s.settled.Store(err == nil && len(answers) > 0 && !slices.ContainsFunc(answers, func(a StopAnswer) bool { return !settled(a) }))
	return answers, err
}
