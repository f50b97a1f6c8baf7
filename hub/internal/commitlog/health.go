package commitlog

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord"
)

// mostFailing is how long commits may fail before the log reports the store as
// down.
const mostFailing = time.Second

// health is the state of the store, as seen by the committer and by polling.
type health struct {
	why atomic.Pointer[error] // nil while the store works

	mu     sync.Mutex    // protects the fields below
	lost   error         // set while the store's files are missing
	commit error         // error of the last commit
	timer  *time.Timer   // runs for mostFailing from the first failed commit
	round  int           // number of the current timer
	ripe   bool          // the timer has expired
	down   chan struct{} // closed while why is set; nil until failed is called
}

// failing returns the reason why the store is down, or nil. It does no I/O and
// takes no lock.
func (h *health) failing() error {
	if why := h.why.Load(); why != nil {
		return *why
	}
	return nil
}

// failed returns a channel that is closed when the store fails, now or later.
func (h *health) failed() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.down == nil {
		h.down = make(chan struct{})
		if h.why.Load() != nil {
			close(h.down)
		}
	}
	return h.down
}

// polled records the result of polling the store.
func (h *health) polled(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lost = nil
	if errors.Is(err, bellcord.ErrStoreLost) {
		h.lost = err
	}
	h.update()
}

// committed records the result of a commit.
func (h *health) committed(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil && h.commit == nil {
		return
	}
	h.commit = err
	switch {
	case err == nil && h.timer != nil:
		h.timer.Stop()
		h.timer, h.ripe = nil, false
		h.round++
	case err != nil && h.timer == nil:
		round := h.round
		h.timer = time.AfterFunc(mostFailing, func() { h.ripened(round) })
	}
	h.update()
}

// suspect reports whether the last commit failed.
func (h *health) suspect() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.commit != nil
}

// ripened marks the store as down if commits have failed since the timer of this
// round started.
func (h *health) ripened(round int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.round == round {
		h.ripe = true
		h.update()
	}
}

// down returns an error that matches ErrStoreDown.
func down(err error) error {
	if errors.Is(err, bellcord.ErrStoreDown) {
		return err
	}
	return fmt.Errorf("%w: %w", bellcord.ErrStoreDown, err)
}

// update publishes the state. It requires mu.
func (h *health) update() {
	var why error
	switch {
	case h.lost != nil:
		why = down(h.lost)
	case h.ripe:
		why = down(h.commit)
	}
	was := h.why.Load() != nil
	switch {
	case why != nil:
		h.why.Store(&why)
		if !was && h.down != nil {
			close(h.down)
		}
	default:
		h.why.Store(nil)
		if was {
			h.down = nil
		}
	}
}
