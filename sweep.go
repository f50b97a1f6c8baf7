package bellcord

import (
	"context"
	"errors"
	"time"
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
		if errors.Is(err, ErrFenced) {
			h.takenForDead()
			return
		}
		if err != nil {
			h.logger.Error("sweep", "err", err)
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
		t.cancel(ErrFenced)
	}
	close(h.fenced)
}

// Fenced is closed when this process was taken for dead. There is nothing left
// to do for it but to end.
func (h *Hub) Fenced() <-chan struct{} { return h.fenced }

// hearNews looks for stops and events of other processes, where there may be any.
func (h *Hub) hearNews(ctx context.Context) error {
	news, err := h.log.store.News(ctx)
	unseen := h.log.unseen.Swap(false)
	if err == nil && !news && !h.unheard && !unseen {
		return nil
	}
	err = errors.Join(err, h.hearStops(ctx))
	err = errors.Join(err, h.log.look(ctx, h.log.stale()))
	h.unheard = err != nil
	return err
}

// hearStops applies stops that another process recorded.
func (h *Hub) hearStops(ctx context.Context) error {
	records, err := h.log.store.StopsAsked(ctx)
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
	records, err := h.log.store.TakeOver(ctx)
	for _, r := range records {
		err = errors.Join(err, h.bury(ctx, r))
	}
	return err
}

func (h *Hub) bury(ctx context.Context, r TurnRecord) error {
	for {
		receipt, err := h.obituary(ctx, r)
		if err != nil {
			return err
		}
		finish := FinishTurn{Session: r.Session, Turn: r.ID, Fence: r.Fence, Receipt: receipt, At: receipt.Times.Settled}
		result, err := h.loose.put(finish).wait(ctx)
		if !errors.Is(err, ErrStopAsked) {
			return err
		}
		r.Stop = result.Stop // it came in since we looked
	}
}

// obituary is the receipt of a turn whose process died, from its events.
func (h *Hub) obituary(ctx context.Context, r TurnRecord) (Receipt, error) {
	var sum tally
	sum.times.Accepted = r.Accepted
	asked := map[string]bool{}
	err := eachEvent(ctx, h.log.store, r.Session, r.First-1, func(ev Event) {
		if ev.Turn != r.ID {
			return
		}
		switch b := ev.Body.(type) {
		case Started:
			sum.times.Started = ev.Time
		case Asked:
			asked[b.Question.ID] = true
		case Answered:
			delete(asked, b.Question)
		}
		sum.observe(ev.Body)
	})
	receipt := sum.receipt(false)
	receipt.Turn, receipt.Session, receipt.End, receipt.Won = r.ID, r.Session, Lost, CompletionWon
	receipt.Times.Settled = time.Now()
	for q := range asked {
		receipt.Questions = append(receipt.Questions, q)
	}
	if r.State == Queued {
		receipt.Prompt = r.Prompt.Text
	}
	if r.Stop.cutsNow() {
		receipt.End, receipt.Won, receipt.Cause = Stopped, StopWon, r.Stop
		receipt.Times.Requested = r.Stop.At
	}
	return receipt, err
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
