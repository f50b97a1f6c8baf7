package hub

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub/internal/commitlog"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// Stop stops turns; every stop goes through it. When Stop returns, the context of
// every turn in its scope in this process is cancelled, unless the mode defers
// the stop to the next step. Stop does no I/O and takes no lock that is held
// during I/O; the request is recorded in parallel. Call Wait on the result for
// the receipts.
//
// A request with a Call cancels only the context of that call. The call's end is
// its event; Wait returns no receipts, or ErrNoTurn or ErrNoCall.
func (h *Hub) Stop(req bellcord.StopRequest) *Stopping {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopLocked(req)
}

// stopLocked is Stop for callers that hold the lock.
func (h *Hub) stopLocked(req bellcord.StopRequest) *Stopping {
	if req.Cause.Kind == "" {
		req.Cause.Kind = bellcord.CausePerson
	}
	if req.Queue == "" {
		req.Queue = bellcord.QueueHold
	}
	if !req.Relayed {
		req.Cause = boundedCause(req.Cause)
		req.Cause.At, req.Cause.Mode, req.Cause.Queue = h.now(), req.Mode, req.Queue
		if req.Mode == bellcord.StopNow {
			req.Cause.Mode = ""
		}
		if req.Queue == bellcord.QueueHold {
			req.Cause.Queue = ""
		}
	}
	s := &Stopping{hub: h, cause: req.Cause}
	if req.Call != "" {
		s.err = h.stopCallLocked(req)
		return s
	}
	t := h.turns[req.Turn]
	if req.Turn != "" && t == nil {
		if s.err = checkStop(req); s.err != nil {
			return s
		}
	}
	switch {
	case req.Turn == "" && req.Everywhere && !req.Relayed:
		_, uncertainty := h.opts.Clock()
		s.elsewhere = h.loose.Put(store.RecordStops{
			Session: req.Session, Owner: req.Owner, Drop: req.Queue == bellcord.QueueDrop, Cause: req.Cause, Uncertainty: uncertainty,
		})
		h.peers.Stop(req)
	case req.Turn != "" && t == nil && req.Relayed:
		h.keepEarlyLocked(req, keepRelayed)
		s.err = bellcord.ErrNoTurn
		return s
	case req.Turn != "" && t == nil:
		s.named, s.elsewhere = req.Turn, h.stopElsewhereLocked(req)
		return s
	case req.Turn != "" && !h.sessions[t.Session].isOf(req.Owner):
		s.err = bellcord.ErrNoTurn // hide the turns of other owners
		return s
	}
	s.turns = h.scopeLocked(req)
	if req.Relayed {
		s.turns = h.beforeLocked(s.turns, req)
		h.relayedLocked(s.turns, req)
		return s
	}
	s.records = h.stopAllLocked(s.turns, req.Cause, req.Queue)
	return s
}

// relayedLocked applies a stop that another process records.
func (h *Hub) relayedLocked(turns []*Turn, req bellcord.StopRequest) {
	for _, t := range turns {
		h.applyStopLocked(t, &req.Cause, req.Queue, elsewhere)
	}
}

// isOf reports whether the session belongs to the owner. An empty owner matches
// every session.
func (l *line) isOf(owner string) bool { return owner == "" || l.session.Owner == owner }

// scopeLocked returns the turns that a request currently matches.
func (h *Hub) scopeLocked(req bellcord.StopRequest) []*Turn {
	switch {
	case req.Turn != "":
		t := h.turns[req.Turn]
		if l := h.sessions[t.Session]; req.Queue == bellcord.QueueDrop && l.running == t {
			return l.targetsLocked(req)
		}
		return []*Turn{t}
	case req.Session != "":
		return h.sessions[req.Session].targetsLocked(req)
	}
	// No turn and no session: all sessions.
	var all []*Turn
	for _, l := range h.sessions {
		all = append(all, l.targetsLocked(req)...)
	}
	return all
}

// targetsLocked returns the turns in the session's queue that a request stops.
func (l *line) targetsLocked(req bellcord.StopRequest) []*Turn {
	var all []*Turn
	switch {
	case l == nil || !l.isOf(req.Owner):
	case req.Queue == bellcord.QueueDrop:
		all = slices.Clone(l.turns)
	default:
		all = l.underWayLocked()
	}
	return all
}

// stopAllLocked applies a stop to the turns and queues a record of the request
// for each.
func (h *Hub) stopAllLocked(turns []*Turn, cause bellcord.Cause, fate bellcord.QueueAction) []*commitlog.Entry {
	entries := make([]*commitlog.Entry, len(turns))
	for i, t := range turns {
		h.applyStopLocked(t, &cause, fate, here)
		entries[i] = h.sessions[t.Session].journal.Put(store.RecordStop{Turn: t.ID, Cause: cause})
	}
	return entries
}

// applyStopLocked applies a stop to a turn and decides what happens to the turns
// queued behind it.
func (h *Hub) applyStopLocked(t *Turn, cause *bellcord.Cause, fate bellcord.QueueAction, from receiver) {
	if l := h.sessions[t.Session]; l != nil && l.running == t { // a late stop may find the session closed
		behind := slices.Clone(l.turns)
		if from == elsewhere {
			behind = slices.DeleteFunc(behind, func(other *Turn) bool { return other.follows(cause, 0) })
		}
		t.declareLocked(fate, behind)
	}
	t.stopLocked(cause)
}

// applyStop applies a stop that the store already contains. Usually another process
// recorded it; a stop by this process is applied already and changes nothing.
func (h *Hub) applyStop(t *Turn, cause *bellcord.Cause) {
	if cause == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case t.cause() == nil:
		for _, target := range h.meantLocked(t, cause) {
			h.applyStopLocked(target, cause, cause.QueueAction(), elsewhere)
		}
	case cause.Mode == bellcord.StopForce:
		t.stopLocked(cause)
	}
}

// meantLocked returns the turns that a stop of t applies to: with QueueDrop also
// those that were queued behind t when the stop was requested.
func (h *Hub) meantLocked(t *Turn, cause *bellcord.Cause) []*Turn {
	l := h.sessions[t.Session]
	if l == nil || l.running != t || cause.Queue != bellcord.QueueDrop {
		return []*Turn{t}
	}
	return slices.DeleteFunc(slices.Clone(l.turns), func(other *Turn) bool { return other != t && other.follows(cause, 0) })
}

// declareLocked decides what happens to the turns queued behind a stopped one
// when the stop was requested. The first stop decides.
func (t *Turn) declareLocked(fate bellcord.QueueAction, line []*Turn) {
	if t.fate != "" {
		return
	}
	t.fate = fate
	for _, other := range line {
		if other == t || other.isUnderWay() { // it cannot be held
			continue
		}
		switch fate {
		case bellcord.QueueHold:
			other.held = true
			t.holds = append(t.holds, other.ID)
		case bellcord.QueueDrop:
			t.drops = append(t.drops, other.ID)
		case bellcord.QueueNext:
		}
	}
}

// stopElsewhereLocked records a stop for a turn that this hub does not run:
// another process may run it, it may have ended, or it may not have arrived yet.
func (h *Hub) stopElsewhereLocked(req bellcord.StopRequest) *commitlog.Entry {
	h.keepEarlyLocked(req, store.EarlyStopLifetime)
	h.peers.Stop(req)
	return h.loose.Put(store.RecordStop{Turn: req.Turn, Owner: req.Owner, Cause: req.Cause})
}

// keepRelayed is how long a relayed stop is kept for a turn that is not here. The
// turn may be about to arrive, and the stop is durable soon after.
const keepRelayed = 10 * time.Second

// keepEarlyLocked keeps a stop for a turn that may still arrive.
func (h *Hub) keepEarlyLocked(req bellcord.StopRequest, keep time.Duration) {
	now := h.now()
	h.early.keep(earlyStopKey{req.Turn, req.Owner}, &req.Cause, now, now.Add(keep))
}

// Stopping is a stop in progress.
type Stopping struct {
	hub       *Hub
	cause     bellcord.Cause
	err       error              // why the request matches nothing
	turns     []*Turn            // in this hub
	records   []*commitlog.Entry // the records of the request
	named     bellcord.TurnID    // the requested turn, if this hub does not have it
	elsewhere *commitlog.Entry   // the record of the request for other processes
	settled   atomic.Bool
}

// Turns returns the turns of this hub in the stop's scope.
func (s *Stopping) Turns() []*Turn { return s.turns }

// Recorded returns when the request is durable, so that it survives this process
// (law 32), or with an error when ctx ends. The turns themselves were cancelled
// by Stop. If Wait has returned a final state for every turn, Recorded returns
// nil, because the ends are durable.
func (s *Stopping) Recorded(ctx context.Context) error {
	if s.settled.Load() {
		return nil
	}
	var err error
	for _, e := range append(s.records[:len(s.records):len(s.records)], s.elsewhere) {
		if e != nil {
			_, one := e.Wait(ctx)
			err = errors.Join(err, one)
		}
	}
	return err
}

// Wait returns the outcome for every turn in the stop's scope once all have
// settled. If ctx ends first, it returns the outcomes so far with an error. An
// empty result means that there was nothing to stop. ErrNoTurn means that the
// turn belongs to another owner.
func (s *Stopping) Wait(ctx context.Context) ([]bellcord.StopAnswer, error) {
	if s.err != nil {
		return nil, s.err
	}
	answers := make([]bellcord.StopAnswer, len(s.turns))
	var err error
	for i, t := range s.turns {
		answers[i] = bellcord.StopAnswer{Turn: t.ID, State: bellcord.StopStateInProgress}
		select {
		case <-t.settled:
		default:
			select {
			case <-t.settled:
			case <-ctx.Done():
				err = ctx.Err()
				if t.isIdle() {
					answers[i].State = bellcord.StopStateWorkEnded
				}
				continue
			}
		}
		if t.withdrawn {
			err = errors.Join(err, s.waitWithdrawn(ctx, i, &answers[i]))
			continue
		}
		receipt := t.receipt
		answers[i].Receipt = &receipt
		if !receipt.EndNotDurable {
			answers[i].State = bellcord.StopStateSettled
		}
	}
	if s.elsewhere != nil {
		others, othersErr := s.waitElsewhere(ctx)
		answers, err = append(answers, others...), errors.Join(err, othersErr)
	}
	settled := func(a bellcord.StopAnswer) bool {
		return a.State == bellcord.StopStateSettled || a.State == bellcord.StopStateAlreadyEnded
	}
	s.settled.Store(err == nil && len(answers) > 0 && !slices.ContainsFunc(answers, func(a bellcord.StopAnswer) bool { return !settled(a) }))
	return answers, err
}

// waitWithdrawn sets the answer for a turn that this hub has withdrawn. Another process
// may have accepted the same prompt, so the record of the request decides. A relayed
// request is recorded by the process that sent it.
func (s *Stopping) waitWithdrawn(ctx context.Context, i int, answer *bellcord.StopAnswer) error {
	if len(s.records) == 0 {
		answer.State = bellcord.StopStateWaitingForTurn
		return nil
	}
	found, err := s.waitRecord(ctx, answer.Turn, s.records[i])
	if found != nil {
		*answer = *found
	}
	return err
}

// thenNext lets the next queued turn run after a stop by a turn's own limit.
func thenNext(r bellcord.StopRequest) bellcord.StopRequest {
	r.Queue = bellcord.QueueNext
	return r
}

// appended handles the store's result of one of the turn's appends. The result
// contains a stop that another process has recorded.
func (h *Hub) appended(t *Turn, r store.Result) {
	switch {
	case r.Err != nil:
		t.cancel(r.Err)
	case lifecycle.CutsNow(r.Stop):
		h.applyStop(t, r.Stop)
	}
}
