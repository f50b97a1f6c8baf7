package hub

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub/internal/commitlog"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// errAbandoned replaces the error of an agent that did not return.
var errAbandoned = errors.New("the agent did not return")

// runTurn executes a turn from acceptance to settlement.
func (h *Hub) runTurn(t *Turn, l *line) {
	err := h.claimTurn(t, l)
	if err == nil {
		err = h.work(t, l)
	}
	h.settle(t, l, err)
	h.dequeue(t, l)
	close(t.settled)
	t.cancel(nil) // releases the context; its cause is already set
}

// claimTurn waits until the turn is first in its queue and claims it in the
// store, because another process may be running a turn of the same session.
func (h *Hub) claimTurn(t *Turn, l *line) error {
	result, err := t.accepted.Wait(context.WithoutCancel(t.ctx))
	if err != nil {
		return err
	}
	if result.Stop != nil && t.cause() == nil {
		h.mu.Lock()
		t.stopLocked(result.Stop) // as in Prompt: the turns behind it are not affected
		h.mu.Unlock()
	}
	stopped := t.stoppedInQueue()
	select {
	case <-t.mayRun:
	case <-stopped:
	}
	for {
		if t.ctx.Err() != nil && !t.isUnderWay() {
			return context.Cause(t.ctx)
		}
		result, err = l.journal.Put(store.ClaimTurn{Session: t.Session, Turn: t.ID, At: h.now()}).Wait(context.WithoutCancel(t.ctx))
		if !errors.Is(err, bellcord.ErrBusy) {
			break
		}
		select {
		case <-time.After(h.opts.Sweep):
		case <-stopped:
		}
	}
	if err != nil {
		return err
	}
	t.began(result.Fence, h.now())
	h.applyStop(t, result.Stop)
	return nil
}

func (t *Turn) began(fence int64, now time.Time) {
	t.writer.SetFence(fence)
	t.mu.Lock()
	t.tally.Times.Started = now
	t.mu.Unlock()
}

// work runs the agent and waits for it, after a stop no longer than the grace
// period.
func (h *Hub) work(t *Turn, l *line) error {
	if err := h.mayWork(t, l); err != nil && !t.isUnderWay() {
		return err
	}
	if d := t.Prompt.Deadline; d > 0 {
		timer := time.AfterFunc(d, func() {
			h.Stop(thenNext(bellcord.StopTurn(t.ID, bellcord.Cause{Kind: bellcord.CauseDeadline, By: "deadline", Source: "hub", Reason: d.String()})))
		})
		defer timer.Stop()
	}
	h.mu.Lock()
	if t.ctx.Err() != nil && !t.isUnderWay() { // stopped meanwhile: the agent does not run
		h.mu.Unlock()
		return context.Cause(t.ctx)
	}
	t.phase = phaseWorking
	work := &Work{Turn: t.ID, Session: l.session, Prompt: t.Prompt, turn: t, line: l, hub: h}
	if work.Prompt.Text != t.text { // edited: the blocks have the old text
		work.Prompt.Text, work.Prompt.Blocks = t.text, nil
	}
	h.mu.Unlock()

	returned := make(chan error, 1)
	go func() { // not waited for: an agent that ignores its context is abandoned
		defer func() {
			if p := recover(); p != nil {
				returned <- fmt.Errorf("agent panicked: %v\n%s", p, debug.Stack())
			}
		}()
		returned <- h.agent.Run(t.ctx, work)
	}()
	select {
	case err := <-returned:
		return err
	case <-t.ctx.Done():
	}
	grace := time.NewTimer(h.opts.Grace)
	defer grace.Stop()
	forced := (<-chan struct{})(t.forced)
	for {
		select {
		case err := <-returned:
			return err
		case <-grace.C:
			return errAbandoned
		case <-forced:
			forced = nil
			grace.Reset(min(forcedGrace, h.opts.Grace))
		}
	}
}

// mayWork returns the reason why the turn's agent must not run, or nil: a stop, or
// a budget that is spent.
func (h *Hub) mayWork(t *Turn, l *line) error {
	if t.ctx.Err() != nil {
		return context.Cause(t.ctx)
	}
	var err error
	if t.before, err = h.spentBefore(t.ctx, t); err != nil {
		return err
	}
	if _, err := h.refresh(t.ctx, l); err != nil { // another process may have changed the mode
		return err
	}
	if why := lifecycle.Exceeded(t.Prompt, bellcord.Usage{}, t.before); why != "" {
		h.stopForBudget(t, why)
		return context.Cause(t.ctx)
	}
	return nil
}

// settle seals the turn's writer and makes the turn's end durable. Its context is
// not cancelled by a stop but has a deadline (law 14).
func (h *Hub) settle(t *Turn, l *line, err error) {
	ctx, done := context.WithTimeout(context.WithoutCancel(t.ctx), h.opts.Settle)
	defer done()
	h.mu.Lock()
	t.phase = phaseSealed // before the end is published: its readers must not find the turn working
	h.mu.Unlock()
	t.recordTails(ctx)
	t.writer.Seal()
	if !errors.Is(err, errAbandoned) {
		close(t.idle)
	}
	if errors.Is(err, bellcord.ErrWithdrawn) { // the store has no such turn
		t.withdrawn, t.receipt.EndNotDurable = true, true
		return
	}
	if err == nil && t.cause() == nil {
		err = context.Cause(t.ctx) // the store has rejected a write
	}
	var rejection error // of the turn's receipt
	end, cause := ending(t.ctx, err)
	for {
		h.mu.Lock()
		t.receipt = t.summaryLocked(end, cause, err, h.now())
		t.receipt.Error = h.opts.Hide(t.receipt.Error)
		h.mu.Unlock()
		if rejection != nil {
			t.receipt = lifecycle.Essential(t.receipt, rejection)
		}
		finish := store.FinishTurn{Session: t.Session, Turn: t.ID, Fence: t.writer.Fence(), Receipt: t.receipt, At: t.receipt.Times.Settled}
		entry := l.journal.Put(finish)
		result, ferr := entry.Wait(ctx)
		switch {
		case ferr == nil:
			h.addHead(ctx, t, result)
			return
		case errors.Is(ferr, store.ErrStopRecorded): // another process's stop was recorded first
			h.applyStop(t, result.Stop)
			end, cause = bellcord.EndStopped, result.Stop
		case errors.Is(ferr, store.ErrFenced):
			h.endedElsewhere(ctx, t)
			return
		case errors.Is(ferr, bellcord.ErrRejected) && rejection == nil:
			rejection = ferr
			h.logger.Error("the store rejected a turn's receipt, it gets a shorter one", "session", t.Session, "turn", t.ID, "err", ferr)
		default:
			t.receipt.EndNotDurable = true
			h.logger.Error("turn's end is not durable", "session", t.Session, "turn", t.ID, "err", ferr)
			go seeThrough(entry, finish) // ends with the log
			return
		}
	}
}

// addHead adds the head of the log to the turn's receipt, as the store has it. An
// end that was committed twice is answered without its event.
func (h *Hub) addHead(ctx context.Context, t *Turn, result store.Result) {
	for _, ev := range result.Events {
		if ended, is := ev.Body.(bellcord.TurnEnded); is {
			t.receipt.LogHead = ended.Receipt.LogHead
			return
		}
	}
	if record, err := h.store.Turn(ctx, t.ID); err == nil && record.Receipt != nil {
		t.receipt.LogHead = record.Receipt.LogHead
	}
}

// recordTails records the held output tails of calls that did not end.
func (t *Turn) recordTails(ctx context.Context) {
	t.mu.Lock()
	tails := t.bounds.flushAll()
	t.mu.Unlock()
	for _, tail := range tails {
		_ = t.writer.Write(ctx, tail, true) // fails only if the store fails, and then so does the end
	}
}

// seeThrough waits until the store has the end of a turn that has no other
// waiter. If a stop was recorded first, it writes the end again as stopped. If the
// store rejects the receipt, it writes a shorter one.
func seeThrough(e *commitlog.Entry, finish store.FinishTurn) {
	shortened := false
	for {
		result, err := e.Wait(context.Background())
		r := &finish.Receipt
		switch {
		case errors.Is(err, store.ErrStopRecorded):
			r.End, r.RaceWinner, r.Cause, r.Error = bellcord.EndStopped, bellcord.StopWon, result.Stop, ""
			r.Times.StopRequested = result.Stop.At
		case errors.Is(err, bellcord.ErrRejected) && !shortened:
			shortened, *r = true, lifecycle.Essential(*r, err)
		default:
			return
		}
		e = e.Again(finish)
	}
}

// endedElsewhere adopts the end that another process wrote.
func (h *Hub) endedElsewhere(ctx context.Context, t *Turn) {
	record, err := h.store.Turn(ctx, t.ID)
	if err == nil && record.Receipt != nil {
		t.receipt = *record.Receipt
		return
	}
	t.receipt.EndNotDurable = true
	h.logger.Warn("turn belongs to another process", "session", t.Session, "turn", t.ID, "err", err)
}
