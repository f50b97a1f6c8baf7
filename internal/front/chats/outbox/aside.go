package outbox

import (
	"context"
	"errors"
	"time"
)

// Aside makes a call that belongs to no chat, such as the answer to a button
// press, in the background. It ignores the pace, but waits while the whole bot
// is rate limited. Failures are retried as long as the pace allows. Aside does not
// block.
func (o *Outbox) Aside(do func(ctx context.Context) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.shut {
		return
	}
	o.still.Go(func() { o.aside(do) })
}

func (o *Outbox) aside(do func(ctx context.Context) error) {
	over := time.Now().Add(o.pace.Aside)
	for pause := time.Second; ; pause *= 2 {
		if !o.sleep(o.heldFor()) {
			return
		}
		err := do(o.ctx)
		var wait *TooMany
		switch {
		case err == nil, o.ctx.Err() != nil:
			return
		case errors.Is(err, ErrNever):
			o.logger.Warn("a call was rejected", "err", err)
			return
		case errors.As(err, &wait):
			pause = wait.RetryAfter
		}
		if time.Now().Add(pause).After(over) {
			o.logger.Warn("call failed for too long; dropped", "err", err)
			return
		}
		if !o.sleep(pause) {
			return
		}
	}
}

// heldFor returns how long the whole bot must still wait.
func (o *Outbox) heldFor() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return time.Until(o.held)
}

// sleep waits for d. It reports false if the outbox ends first.
func (o *Outbox) sleep(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-o.ctx.Done():
		return false
	}
}
