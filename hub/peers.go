package hub

import (
	"context"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
)

// Peers connect the processes that share a store, faster than polling the store
// does. Everything that they carry is in the store or about to be written there, so
// a lost message only costs time. None of the methods blocks.
type Peers interface {
	// Stop passes a stop on to the processes that have its turns, as a relayed one.
	Stop(req bellcord.StopRequest)
	// View reports that the session has one reader more here, or one less. While it
	// has readers, Peers pass its remote events to Hub.ApplyRemoteEvents.
	View(session bellcord.SessionID, more bool)
	// Await is View for a caller that only waits for the end of a turn.
	Await(session bellcord.SessionID, more bool)
}

// alone is a process that has only the store.
type alone struct{}

func (alone) Stop(bellcord.StopRequest)      {}
func (alone) View(bellcord.SessionID, bool)  {}
func (alone) Await(bellcord.SessionID, bool) {}

// awaited is a turn of another process's whose end somebody here waits for.
type awaited struct {
	waiters int
	idle    bool          // its process says that no work of it remains
	ended   chan struct{} // closed when its end was heard; receipt is then there
	receipt bellcord.Receipt
}

// ApplyRemoteEvents takes events that another process made durable: in any order, some
// twice, some never. What is missing is read from the store.
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
		if a := h.awaited[ev.Turn]; is && a != nil && a.receipt.Turn == "" {
			a.receipt = end.Receipt
			close(a.ended)
		}
	}
}

// ApplyRemoteIdle takes another process's word that no work of a turn remains.
func (h *Hub) ApplyRemoteIdle(turn bellcord.TurnID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if a := h.awaited[turn]; a != nil {
		a.idle = true
	}
}

// await notes that the end of another process's turn is waited for, until forgo.
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

// lookAgain is how soon one looks for the end of another process's turn that was
// not heard; each time twice as long, up to the time of a sweep.
const lookAgain = 25 * time.Millisecond

// over waits until a turn that another process runs has ended.
func (h *Hub) over(ctx context.Context, id bellcord.TurnID) (bellcord.TurnRecord, error) {
	heard := h.await(id)
	defer h.forgo(id, heard)
	watching := false
	for wait := lookAgain; ; wait = min(2*wait, h.opts.Sweep) {
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
		case <-heard.ended:
			record.State, record.Receipt = bellcord.StateEnded, &heard.receipt
			return record, nil
		case <-time.After(wait):
		case <-ctx.Done():
			return record, ctx.Err()
		}
	}
}

// waitElsewhere waits for what this hub does not run.
func (s *Stopping) waitElsewhere(ctx context.Context) ([]bellcord.StopAnswer, error) {
	if s.named != "" {
		answer, err := s.waitNamed(ctx)
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
	for i := range answers { // of those that were not waited for
		if answers[i].Turn == "" {
			answers[i] = bellcord.StopAnswer{Turn: result.Records[i].ID, State: bellcord.StopStateInProgress}
		}
	}
	return answers, err
}

// waitNamed waits for a turn that this hub does not have: for its end, which may
// be heard before our own record of the request is written, or for what the
// record says.
func (s *Stopping) waitNamed(ctx context.Context) (*bellcord.StopAnswer, error) {
	heard := s.hub.await(s.named)
	defer s.hub.forgo(s.named, heard)
	select {
	case <-heard.ended:
		return &bellcord.StopAnswer{Turn: s.named, State: bellcord.StopStateSettled, Receipt: &heard.receipt}, nil
	case <-s.elsewhere.Done():
	case <-s.hub.log.Closed():
	case <-ctx.Done():
	}
	result, err := s.elsewhere.Wait(ctx)
	answer := bellcord.StopAnswer{Turn: s.named, State: bellcord.StopStateWaitingForTurn}
	switch {
	case errors.Is(err, bellcord.ErrNoTurn):
		return nil, err
	case err != nil:
		answer.State = bellcord.StopStateInProgress
	case result.Record != nil:
		answer, err = s.answerFor(ctx, *result.Record)
	}
	if answer.State == bellcord.StopStateInProgress && s.hub.isIdle(heard) {
		answer.State = bellcord.StopStateWorkEnded
	}
	return &answer, err
}

// answerFor waits for a turn's end, which the record may have already: because
// of this stop, where that came to the turn before it came to the record.
func (s *Stopping) answerFor(ctx context.Context, r bellcord.TurnRecord) (bellcord.StopAnswer, error) {
	if r.State == bellcord.StateEnded {
		answer := bellcord.StopAnswer{Turn: r.ID, State: bellcord.StopStateAlreadyEnded, Receipt: r.Receipt}
		if r.Receipt.End == bellcord.EndStopped && s.meets(r.Receipt) {
			answer.State = bellcord.StopStateSettled
		}
		return answer, nil
	}
	after, err := s.hub.over(ctx, r.ID)
	if after.Receipt == nil {
		return bellcord.StopAnswer{Turn: r.ID, State: bellcord.StopStateInProgress}, err
	}
	return bellcord.StopAnswer{Turn: r.ID, State: bellcord.StopStateSettled, Receipt: after.Receipt}, err
}

// meets reports whether this stop found the turn before its end: it is the stop of
// the receipt, or one that was received behind that one and before the end, such
// as the one that forces it.
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

// leaseAgain is how often a process that may start nothing looks whether it may.
const leaseAgain = 50 * time.Millisecond

// mayStart returns once this process may start something, or ctx has ended.
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
