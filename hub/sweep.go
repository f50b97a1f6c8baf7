package hub

import (
	"context"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
)

// sweep looks, at intervals, for what other processes did: stops they recorded
// for our turns, events they added to sessions that somebody watches here,
// turns they left behind when they died.
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
		err := h.look(n%second == 0) // the dead stay dead: looking less often costs a waiting turn little
		if errors.Is(err, bellcord.ErrFenced) {
			h.takenForDead()
			return
		}
		if err != nil {
			h.logger.Error("polling the store failed", "err", err)
		}
	}
}

// mostLook is how long a look may take: a store that does not answer must not
// keep one from looking again.
const mostLook = 5 * time.Second

// look hears the news, and looks for the dead.
func (h *Hub) look(dead bool) error {
	ctx, done := context.WithTimeout(context.Background(), mostLook)
	defer done()
	err := h.hearNews(ctx)
	if dead && err == nil {
		err = h.takeOver(ctx)
		h.forgetEarly(time.Now())
	}
	return err
}

// takenForDead ends what runs here, since other processes have ended it already,
// and accepts nothing more: all that this one could write is refused.
func (h *Hub) takenForDead() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.draining = true
	for _, t := range h.turns {
		t.cancel(bellcord.ErrFenced)
	}
	close(h.fenced)
}

// Fenced is closed when another process has taken this one for dead. All writes are
// refused from then on; the process should exit.
func (h *Hub) Fenced() <-chan struct{} { return h.fenced }

// hearNews looks for stops and events of other processes, where there may be any.
func (h *Hub) hearNews(ctx context.Context) error {
	news, err := h.store.Changed(ctx)
	h.log.Looked(err)
	unseen := h.log.Unseen()
	if err == nil && !news && !h.unheard && !unseen {
		return nil
	}
	err = errors.Join(err, h.hearStops(ctx))
	err = errors.Join(err, h.log.Refresh(ctx))
	h.unheard = err != nil
	return err
}

// hearStops applies stops that another process recorded.
func (h *Hub) hearStops(ctx context.Context) error {
	records, err := h.store.RecordedStops(ctx)
	if err != nil {
		return err
	}
	for _, r := range records {
		h.mu.Lock()
		t := h.turns[r.ID]
		h.mu.Unlock()
		if t != nil {
			h.hear(t, r.Stop)
		}
	}
	return nil
}

// takeOver ends the turns of processes that died: stopped where that was asked
// for, else lost. Their output is in the log already. A turn whose end could
// not be written is handed out again at the next look.
func (h *Hub) takeOver(ctx context.Context) error {
	records, err := h.store.TakeOver(ctx)
	for _, r := range records {
		err = errors.Join(err, h.bury(ctx, r))
	}
	return err
}

// bury writes the end of a dead process's turn.
func (h *Hub) bury(ctx context.Context, r bellcord.TurnRecord) error {
	lost, damage, err := h.readLost(ctx, r)
	if err != nil {
		return err
	}
	for {
		receipt := lost.Receipt(r.Stop, time.Now())
		receipt.Error = damage
		finish := bellcord.FinishTurn{Session: r.Session, Turn: r.ID, Fence: r.Fence, Receipt: receipt, At: receipt.Times.Settled}
		result, err := h.loose.Put(finish).Wait(ctx)
		if !errors.Is(err, bellcord.ErrStopRecorded) {
			return err
		}
		r.Stop = result.Stop // it came in since we looked
	}
}

// readLost reads the events of a dead process's turn. Where some cannot be read,
// it returns why as damage: an end with what could be read is better than none.
func (h *Hub) readLost(ctx context.Context, r bellcord.TurnRecord) (lost *lifecycle.LostTurn, damage string, err error) {
	lost = lifecycle.NewLostTurn(r)
	err = bellcord.EachEvent(ctx, h.store, r.Session, r.FirstSeq-1, func(ev bellcord.Event) bool {
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
	for of, early := range h.early {
		if early.until.Before(now) {
			delete(h.early, of)
		}
	}
}
