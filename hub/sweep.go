package hub

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// sweep polls the store for changes by other processes: stops recorded for our
// turns, events in sessions that have readers here, and turns of dead processes.
func (h *Hub) sweep() {
	tick := time.NewTicker(h.opts.Sweep)
	defer tick.Stop()
	second := max(1, int(time.Second/h.opts.Sweep))
	for n := 1; ; n++ {
		select {
		case <-h.quit:
			return
		case <-tick.C:
		}
		err := h.pollStore(n%second == 0) // once per second is often enough for dead processes
		if errors.Is(err, store.ErrFenced) {
			h.takenForDead()
			return
		}
		if err != nil && h.life.Err() == nil { // Close ends a poll
			h.logger.Error("polling the store failed", "err", err)
		}
	}
}

// maxPoll limits the duration of one poll, so that a store that does not respond
// does not prevent the next one.
const maxPoll = 5 * time.Second

// pollStore applies remote stops and events. If dead is set, it also takes over the
// turns of dead processes, discards expired early stops and closes idle sessions.
func (h *Hub) pollStore(dead bool) error {
	ctx, done := context.WithTimeout(h.life, maxPoll)
	defer done()
	err := h.applyNews(ctx)
	if dead && err == nil {
		h.goTakeOver(func(err error) {
			if err != nil && h.life.Err() == nil {
				h.logger.Error("cannot take over the turns of dead processes, trying again", "err", err)
			}
		})
		h.forgetEarly(h.now())
		if h.opts.Idle > 0 {
			h.CloseIdle(time.Now().Add(-h.opts.Idle))
		}
	}
	return err
}

// takenForDead cancels all turns, because other processes have already ended
// them, and rejects new prompts. The store rejects every further write of this
// process.
func (h *Hub) takenForDead() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.draining = true
	for _, t := range h.turns {
		t.cancel(store.ErrFenced)
	}
	close(h.fenced)
}

// Fenced returns a channel that is closed when another process has taken over
// this process's turns. All writes are rejected from then on; the process should
// exit.
func (h *Hub) Fenced() <-chan struct{} { return h.fenced }

// applyNews applies stops and events of other processes if the store reports
// changes or the last poll failed.
func (h *Hub) applyNews(ctx context.Context) error {
	changed, err := h.store.Changed(ctx)
	h.log.Polled(err)
	unseen := h.log.Unseen()
	if err == nil && !changed && !h.pollFailed && !unseen {
		return nil
	}
	err = errors.Join(err, h.applyStops(ctx))
	err = errors.Join(err, h.log.Refresh(ctx))
	h.pollFailed = err != nil
	return err
}

// applyStops applies stops that another process recorded.
func (h *Hub) applyStops(ctx context.Context) error {
	records, err := h.store.RecordedStops(ctx)
	if err != nil {
		return err
	}
	for _, r := range records {
		h.mu.Lock()
		t := h.turns[r.ID]
		h.mu.Unlock()
		if t != nil {
			h.applyStop(t, r.Stop)
		}
	}
	return nil
}

// maxFirst limits how long Open waits for the turns of dead processes. Those that
// take longer are ended in the background.
const maxFirst = 10 * time.Second

// takeOverFirst ends the turns that dead processes have left, before Open returns.
func (h *Hub) takeOverFirst(ctx context.Context) error {
	done := make(chan error, 1)
	h.goTakeOver(func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(maxFirst):
		h.logger.Warn("the turns of dead processes have not all ended yet; trying again in the background")
		return nil
	}
}

// goTakeOver calls takeOver in the background, so that a turn whose end cannot be
// written delays neither the polls nor Open. It does nothing if the previous call
// is still running.
func (h *Hub) goTakeOver(done func(error)) {
	if !h.takingOver.CompareAndSwap(false, true) {
		return
	}
	h.swept.Go(func() {
		defer h.takingOver.Store(false)
		done(h.takeOver(h.life))
	})
}

// mostBuried is how many turns of dead processes are ended at the same time. One
// turn with many events then delays few others, and one commit has several ends.
const mostBuried = 4

// takeOver ends the turns of dead processes: as stopped if a stop was recorded,
// otherwise as lost. Their output is already in the log. If an end cannot be
// written, the store returns the turn again at the next call.
func (h *Hub) takeOver(ctx context.Context) error {
	records, err := h.store.TakeOver(ctx)
	var all sync.WaitGroup
	free := make(chan struct{}, mostBuried)
	for _, r := range records {
		free <- struct{}{}
		all.Go(func() {
			if err := h.buryInTime(ctx, r); err != nil && ctx.Err() == nil {
				h.logger.Error("cannot write the end of a dead process's turn, trying again", "session", r.Session, "turn", r.ID, "err", err)
			}
			<-free
		})
	}
	all.Wait()
	return err
}

// maxBury limits the time for the end of one turn of a dead process, which may
// have many events.
const maxBury = time.Minute

func (h *Hub) buryInTime(ctx context.Context, r store.TurnRecord) error {
	ctx, done := context.WithTimeout(ctx, maxBury)
	defer done()
	return h.bury(ctx, r)
}

// bury writes the end of a dead process's turn.
func (h *Hub) bury(ctx context.Context, r store.TurnRecord) error {
	lost, damage, err := h.readLost(ctx, r)
	if err != nil {
		return err
	}
	var rejection error // of the turn's receipt
	for {
		receipt := lost.Receipt(r.Stop, h.now())
		receipt.Error = damage
		if rejection != nil {
			receipt = lifecycle.Essential(receipt, rejection)
		}
		finish := store.FinishTurn{Session: r.Session, Turn: r.ID, Fence: r.Fence, Receipt: receipt, At: receipt.Times.Settled}
		entry := h.loose.Put(finish)
		result, err := entry.Wait(ctx)
		switch {
		case errors.Is(err, store.ErrStopRecorded):
			r.Stop = result.Stop // recorded after the turn was read
		case errors.Is(err, bellcord.ErrRejected) && rejection == nil:
			rejection = err
		default:
			if err != nil {
				entry.Withdraw() // the next call writes another end
			}
			return err
		}
	}
}

// readLost reads the events of a dead process's turn. If some cannot be read, it
// returns the reason as damage, so that the end is written with the readable
// events.
func (h *Hub) readLost(ctx context.Context, r store.TurnRecord) (lost *lifecycle.LostTurn, damage string, err error) {
	lost = lifecycle.NewLostTurn(r)
	err = store.EachEvent(ctx, h.store, r.Session, r.FirstSeq-1, func(ev bellcord.Event) bool {
		lost.Observe(ev)
		return true
	})
	if errors.Is(err, bellcord.ErrDamaged) {
		h.logger.Error("cannot read the events of a lost turn", "session", r.Session, "turn", r.ID, "err", err)
		return lost, err.Error(), nil
	}
	return lost, "", err
}

func (h *Hub) forgetEarly(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.early.forget(now)
}
