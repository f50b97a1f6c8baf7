package bellcord

import (
	"context"
	"errors"
	"time"
)

// Peers reach the other processes on the same store faster than the store does.
// All that they carry is on record, or on its way there: a process that hears
// nothing finds it in the store at its next look. None of their methods waits.
type Peers interface {
	// Stop passes a stop on to whoever has its turns, as a relayed one.
	Stop(req StopRequest)
	// View says that somebody here watches a session, or one less does. Peers then
	// hand what they hear of it to Hub.Heard.
	View(session SessionID, more bool)
	// Await is View for who only waits for an end: nobody watches.
	Await(session SessionID, more bool)
}

// alone is a process that has only the store.
type alone struct{}

func (alone) Stop(StopRequest)      {}
func (alone) View(SessionID, bool)  {}
func (alone) Await(SessionID, bool) {}

// awaited is a turn of another process's whose end somebody here waits for.
type awaited struct {
	waiters int
	idle    bool          // its process says that no work of it remains
	ended   chan struct{} // closed when its end was heard; receipt is then there
	receipt Receipt
}

// Heard takes events that another process made durable: in any order, some
// twice, some never. What is missing is read from the store.
func (h *Hub) Heard(events []Event) {
	if len(events) == 0 {
		return
	}
	h.log.deliver(h.loose, events)
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.awaited) == 0 {
		return
	}
	for _, ev := range events {
		end, is := ev.Body.(Ended)
		if a := h.awaited[ev.Turn]; is && a != nil && a.receipt.Turn == "" {
			a.receipt = end.Receipt
			close(a.ended)
		}
	}
}

// HeardIdle takes another process's word that no work of a turn remains.
func (h *Hub) HeardIdle(turn TurnID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if a := h.awaited[turn]; a != nil {
		a.idle = true
	}
}

// await notes that the end of another process's turn is waited for, until forgo.
func (h *Hub) await(id TurnID) *awaited {
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

func (h *Hub) forgo(id TurnID, a *awaited) {
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
func (h *Hub) over(ctx context.Context, id TurnID) (TurnRecord, error) {
	heard := h.await(id)
	defer h.forgo(id, heard)
	watching := false
	for wait := lookAgain; ; wait = min(2*wait, h.opts.Sweep) {
		record, err := h.log.store.Turn(ctx, id)
		if err != nil || record.State == Over {
			return record, err
		}
		if !watching {
			watching = true
			h.peers.Await(record.Session, true)
			defer h.peers.Await(record.Session, false)
		}
		select {
		case <-heard.ended:
			record.State, record.Receipt = Over, &heard.receipt
			return record, nil
		case <-time.After(wait):
		case <-ctx.Done():
			return record, ctx.Err()
		}
	}
}

// waitElsewhere waits for what this hub does not run.
func (s *Stopping) waitElsewhere(ctx context.Context) ([]StopAnswer, error) {
	if s.named != "" {
		answer, err := s.waitNamed(ctx)
		if answer == nil {
			return nil, err
		}
		return []StopAnswer{*answer}, err
	}
	result, err := s.elsewhere.wait(ctx)
	if err != nil {
		return nil, err
	}
	answers := make([]StopAnswer, len(result.Records))
	for i, r := range result.Records {
		if answers[i], err = s.answerFor(ctx, r); err != nil {
			break
		}
	}
	for i := range answers { // of those that were not waited for
		if answers[i].Turn == "" {
			answers[i] = StopAnswer{Turn: result.Records[i].ID, State: InProgress}
		}
	}
	return answers, err
}

// waitNamed waits for a turn that this hub does not have: for its end, which may
// be heard before our own record of the request is written, or for what the
// record says.
func (s *Stopping) waitNamed(ctx context.Context) (*StopAnswer, error) {
	heard := s.hub.await(s.named)
	defer s.hub.forgo(s.named, heard)
	select {
	case <-heard.ended:
		return &StopAnswer{Turn: s.named, State: Settled, Receipt: &heard.receipt}, nil
	case <-s.elsewhere.done:
	case <-s.elsewhere.journal.log.closed:
	case <-ctx.Done():
	}
	result, err := s.elsewhere.wait(ctx)
	answer := StopAnswer{Turn: s.named, State: KeptForLater}
	switch {
	case errors.Is(err, ErrNoTurn):
		return nil, err
	case err != nil:
		answer.State = InProgress
	case result.Record != nil:
		answer, err = s.answerFor(ctx, *result.Record)
	}
	if answer.State == InProgress && s.hub.isIdle(heard) {
		answer.State = WorkEnded
	}
	return &answer, err
}

// answerFor waits for a turn's end, which the record may have already: because
// of this stop, where that came to the turn before it came to the record.
func (s *Stopping) answerFor(ctx context.Context, r TurnRecord) (StopAnswer, error) {
	if r.State == Over {
		answer := StopAnswer{Turn: r.ID, State: AlreadyEnded, Receipt: r.Receipt}
		if r.Receipt.End == Stopped && s.meets(r.Receipt) {
			answer.State = Settled
		}
		return answer, nil
	}
	after, err := s.hub.over(ctx, r.ID)
	if after.Receipt == nil {
		return StopAnswer{Turn: r.ID, State: InProgress}, err
	}
	return StopAnswer{Turn: r.ID, State: Settled, Receipt: after.Receipt}, err
}

// meets reports whether this stop found the turn before its end: it is the stop of
// the receipt, or one that was received behind that one and before the end, such
// as the one that forces it.
func (s *Stopping) meets(r *Receipt) bool {
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
