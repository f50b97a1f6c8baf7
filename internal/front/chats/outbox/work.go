package outbox

import (
	"errors"
	"time"
)

// sameMoment is how close together two rate limit errors must be to count as
// one for the whole bot.
const sameMoment = 2 * time.Second

// work schedules calls until nothing waits and no call is in progress.
func (o *Outbox) work() {
	for {
		id, c, wait, over := o.pick()
		switch {
		case over:
			return
		case c != nil:
			o.still.Go(func() { o.make(id, *c) })
			continue
		}
		var due <-chan time.Time // nil blocks forever: only news can change something
		if wait > 0 {
			due = time.After(wait)
		}
		select {
		case <-due:
		case <-o.signal:
		case <-o.ctx.Done():
			return
		}
	}
}

// pick removes and returns the next call, or the time to wait for one. over is
// true when nothing waits and no call is in progress.
func (o *Outbox) pick() (id string, c *Call, wait time.Duration, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	best, soonest, under := o.best(now)
	switch {
	case best != "" && !o.next.After(now):
		o.next = now.Add(o.pace.All)
		return best, o.chats[best].takeCall(now, o.pace), 0, false
	case best != "":
		return "", nil, o.next.Sub(now), false
	case !soonest.IsZero():
		return "", nil, soonest.Sub(now), false
	}
	o.working = under
	return "", nil, 0, !under
}

// best returns the chat to serve next: one with calls that must arrive, and of
// several the one that has waited longest; "" if none is ready. soonest is when
// the next chat becomes ready. under reports whether calls are in progress.
func (o *Outbox) best(now time.Time) (best string, soonest time.Time, under bool) {
	for id, to := range o.chats {
		ready := latest(to.ready, o.held)
		switch {
		case to.busy:
			under = true
		case len(to.sure)+len(to.shown) == 0:
			if now.Sub(to.ready) > to.stretch {
				delete(o.chats, id) // its pace no longer matters
			}
		case ready.After(now):
			if soonest.IsZero() || ready.Before(soonest) {
				soonest = ready
			}
		case best == "" || to.before(o.chats[best]):
			best = id
		}
	}
	return best, soonest, under
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// before reports whether the chat is served before other.
func (to *chat) before(other *chat) bool {
	if sure := len(to.sure) > 0; sure != (len(other.sure) > 0) {
		return sure
	}
	return to.served.Before(other.served)
}

// takeCall removes and returns the chat's next call. Calls that must arrive
// come first.
func (to *chat) takeCall(now time.Time, pace Pace) *Call {
	var c Call
	if len(to.sure) > 0 {
		c, to.sure = to.sure[0], to.sure[1:]
	} else {
		c, to.shown = to.shown[0], to.shown[1:]
	}
	after := pace.Private
	if c.Group {
		after = pace.Group
	}
	to.ready, to.served, to.busy = now.Add(after+to.stretch), now, true
	to.stretch /= 2
	return &c
}

// make makes a call and handles its result.
func (o *Outbox) make(id string, c Call) {
	err := c.Do(o.ctx)
	o.mu.Lock()
	defer o.mu.Unlock()
	to := o.chats[id]
	to.busy = false
	var wait *TooMany
	switch {
	case err == nil:
		to.failures = 0
	case errors.As(err, &wait):
		o.hold(id, to, c, wait.RetryAfter)
	case errors.Is(err, ErrNever):
		o.logger.Warn("a call was rejected", "chat", id, "err", err)
	case c.Slot == "" && o.ctx.Err() == nil:
		o.logger.Warn("call failed; retrying", "chat", id, "err", err)
		to.again(c)
	}
	o.wake()
}

// hold applies a rate limit error: nothing is sent to the chat until the wait
// is over, and its pace is slower afterwards. A call that only shows progress
// is not retried, since a newer one will follow. A platform may not report
// whether the limit applies to the chat or the bot; if two chats are limited at
// about the same time, the whole bot waits. The caller holds the lock.
func (o *Outbox) hold(id string, to *chat, c Call, wait time.Duration) {
	now := time.Now()
	until := now.Add(wait)
	to.ready = latest(to.ready, until)
	if o.refused != id && now.Sub(o.refusedAt) < sameMoment {
		o.held = latest(o.held, until)
	}
	o.refused, o.refusedAt = id, now
	to.stretch = min(max(2*to.stretch, time.Second), slowest)
	if c.Slot == "" {
		to.sure = append([]Call{c}, to.sure...)
	}
}

// again puts a failed call back at the front, after a pause.
func (to *chat) again(c Call) {
	to.failures++
	to.ready = time.Now().Add(min(time.Second<<min(to.failures-1, 5), slowest))
	to.sure = append([]Call{c}, to.sure...)
}
