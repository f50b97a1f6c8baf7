package hub

import (
	"context"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub/internal/commitlog"
	"github.com/bellcord/bellcord/store"
)

// Peers connects the processes that share a store, with lower latency than
// polling the store. Everything it transmits is in the store or about to be
// written there, so a lost message only causes a delay. No method blocks.
type Peers interface {
	// Stop forwards a stop to the processes that run its turns, with Relayed set.
	Stop(req bellcord.StopRequest)
	// View adds a reader of the session in this process, or removes one. While
	// the session has readers, Peers passes its remote events to
	// Hub.ApplyRemoteEvents.
	View(session bellcord.SessionID, more bool)
	// Await is like View, for a caller that only waits for the end of a turn.
	Await(session bellcord.SessionID, more bool)
}

// alone implements Peers for a process that shares only the store.
type alone struct{}

func (alone) Stop(bellcord.StopRequest)      {}
func (alone) View(bellcord.SessionID, bool)  {}
func (alone) Await(bellcord.SessionID, bool) {}

// awaited is a turn of another process with waiters in this process.
type awaited struct {
	waiters int
	over    bool          // ended is closed
	idle    bool          // the remote process reported that no work remains
	ended   chan struct{} // closed when the turn has ended and receipt is set
	receipt bellcord.Receipt
}

// ApplyRemoteEvents delivers durable events of another process to readers and
// waiters. Events may arrive in any order, more than once or never; missing ones
// are read from the store.
func (h *Hub) ApplyRemoteEvents(events []bellcord.Event) {
	if len(events) == 0 {
		return
	}
	h.log.Deliver(events)
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.awaited) == 0 {
		return
	}
	for _, ev := range events {
		end, is := ev.Body.(bellcord.TurnEnded)
		if a := h.awaited[ev.Turn]; is && a != nil && !a.over {
			a.receipt, a.over = end.Receipt, true
			close(a.ended)
		}
	}
}

// ApplyRemoteIdle records that no work of another process's turn remains.
func (h *Hub) ApplyRemoteIdle(turn bellcord.TurnID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if a := h.awaited[turn]; a != nil {
		a.idle = true
	}
}

// await adds a waiter for the end of another process's turn. Each call needs a
// call of forgo.
func (h *Hub) await(id bellcord.TurnID) *awaited {
	h.mu.Lock()
	defer h.mu.Unlock()
	a := h.awaited[id]
	if a == nil {
		a = &awaited{ended: make(chan struct{})}
		h.awaited[id] = a
	}
	a.waiters++
	return a
}

func (h *Hub) forgo(id bellcord.TurnID, a *awaited) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if a.waiters--; a.waiters == 0 {
		delete(h.awaited, id)
	}
}

// pollAgain is the first interval for polling the end of another process's turn.
// It doubles with each poll, up to Options.Sweep.
const pollAgain = 25 * time.Millisecond

// over blocks until a turn of another process has ended, and returns its record.
func (h *Hub) over(ctx context.Context, id bellcord.TurnID) (store.TurnRecord, error) {
	pending := h.await(id)
	defer h.forgo(id, pending)
	watching := false
	for wait := pollAgain; ; wait = min(2*wait, h.opts.Sweep) {
		record, err := h.store.Turn(ctx, id)
		if err != nil || record.State == bellcord.StateEnded {
			return record, err
		}
		if !watching {
			watching = true
			h.peers.Await(record.Session, true)
			defer h.peers.Await(record.Session, false)
		}
		select {
		case <-pending.ended:
			record.State, record.Receipt = bellcord.StateEnded, &pending.receipt
			return record, nil
		case <-time.After(wait):
		case <-ctx.Done():
			return record, ctx.Err()
		}
	}
}

// waitElsewhere waits for the turns in the stop's scope that this hub does not
// run.
func (s *Stopping) waitElsewhere(ctx context.Context) ([]bellcord.StopAnswer, error) {
	if s.named != "" {
		answer, err := s.waitRecord(ctx, s.named, s.elsewhere)
		if answer == nil {
			return nil, err
		}
		return []bellcord.StopAnswer{*answer}, err
	}
	result, err := s.elsewhere.Wait(ctx)
	if err != nil {
		return nil, err
	}
	answers := make([]bellcord.StopAnswer, len(result.Records))
	for i, r := range result.Records {
		if answers[i], err = s.answerFor(ctx, r); err != nil {
			break
		}
	}
	for i := range answers { // not waited for, after an error
		if answers[i].Turn == "" {
			answers[i] = bellcord.StopAnswer{Turn: result.Records[i].ID, State: bellcord.StopStateInProgress}
		}
	}
	return answers, err
}

// waitRecord waits for a turn that this hub does not have. Either its end arrives
// from a peer, possibly before the stop request is durable, or the result of the
// recorded request decides. A stop of a turn that no process has accepted is kept
// in case the prompt arrives later.
func (s *Stopping) waitRecord(ctx context.Context, id bellcord.TurnID, record *commitlog.Entry) (*bellcord.StopAnswer, error) {
	pending := s.hub.await(id)
	defer s.hub.forgo(id, pending)
	select {
	case <-pending.ended:
		return &bellcord.StopAnswer{Turn: id, State: bellcord.StopStateSettled, Receipt: &pending.receipt}, nil
	case <-record.Done():
	case <-s.hub.log.Closed():
	case <-ctx.Done():
	}
	result, err := record.Wait(ctx)
	answer := bellcord.StopAnswer{Turn: id, State: bellcord.StopStateWaitingForTurn}
	switch {
	case errors.Is(err, bellcord.ErrNoTurn):
		return nil, err
	case err != nil:
		answer.State = bellcord.StopStateInProgress
	case result.Record != nil:
		answer, err = s.answerFor(ctx, *result.Record)
	}
	if answer.State == bellcord.StopStateInProgress && s.hub.isIdle(pending) {
		answer.State = bellcord.StopStateWorkEnded
	}
	return &answer, err
}

// answerFor waits for the end of a turn. The record may already contain the end,
// caused by this stop if the stop reached the turn before its own record was
// written.
func (s *Stopping) answerFor(ctx context.Context, r store.TurnRecord) (bellcord.StopAnswer, error) {
	if r.State == bellcord.StateEnded {
		answer := bellcord.StopAnswer{Turn: r.ID, State: bellcord.StopStateAlreadyEnded, Receipt: r.Receipt}
		if r.Receipt.End == bellcord.EndStopped && s.meets(r.Receipt) {
			answer.State = bellcord.StopStateSettled
		}
		now, err := store.ReceiptNow(ctx, s.hub.store, *r.Receipt)
		answer.Receipt = &now
		return answer, err
	}
	after, err := s.hub.over(ctx, r.ID)
	if after.Receipt == nil {
		return bellcord.StopAnswer{Turn: r.ID, State: bellcord.StopStateInProgress}, err
	}
	return bellcord.StopAnswer{Turn: r.ID, State: bellcord.StopStateSettled, Receipt: after.Receipt}, err
}

// meets reports whether this stop was received before the turn's end: it is the
// cause in the receipt, or it followed that cause before the end, for example to
// force it.
func (s *Stopping) meets(r *bellcord.Receipt) bool {
	if c := r.Cause; c != nil && c.By == s.cause.By && c.At.Equal(s.cause.At) {
		return true
	}
	return r.Times.Settled.After(s.cause.At)
}

func (h *Hub) isIdle(a *awaited) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return a.idle
}

// leaseAgain is the polling interval of mayStart.
const leaseAgain = 50 * time.Millisecond

// mayStart blocks until this process is allowed to start work or ctx ends.
func (h *Hub) mayStart(ctx context.Context) error {
	for h.opts.Leased != nil && !h.opts.Leased() {
		select {
		case <-time.After(leaseAgain):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
