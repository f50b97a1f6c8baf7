package outbox

import (
	"errors"
	"time"
)

// sameMoment is how close together two refusals are that have one reason.
const sameMoment = 2 * time.Second

// work hands out the bot's turns until nothing waits and no call is under way.
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
		var due <-chan time.Time // for ever, where only news can change something
		if wait > 0 {
			due = time.After(wait)
		}
		select {
		case <-due:
		case <-o.news:
		case <-o.ctx.Done():
			return
		}
	}
}

// pick takes the call whose turn it is, or says how long until there is one; over
// when nothing waits any more.
func (o *Outbox) pick() (id int64, c *Call, wait time.Duration, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	best, soonest, under := o.best(now)
	switch {
	case best != 0 && !o.next.After(now):
		o.next = now.Add(o.pace.All)
		return best, o.chats[best].takeCall(now, o.pace), 0, false
	case best != 0:
		return 0, nil, o.next.Sub(now), false
	case !soonest.IsZero():
		return 0, nil, soonest.Sub(now), false
	}
	o.working = under
	return 0, nil, 0, !under
}

// best is the chat whose turn it is: one for which something has to arrive, and
// of several the one that has waited longest; 0 where none is ready. soonest is
// when the next one will be; under, whether calls are under way.
func (o *Outbox) best(now time.Time) (best int64, soonest time.Time, under bool) {
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
		case best == 0 || to.before(o.chats[best]):
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

// before reports whether the chat's turn comes before another one's.
func (to *chat) before(other *chat) bool {
	if sure := len(to.sure) > 0; sure != (len(other.sure) > 0) {
		return sure
	}
	return to.served.Before(other.served)
}

// takeCall removes the chat's next call: what has to arrive first.
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

// make makes a call and takes its answer.
func (o *Outbox) make(id int64, c Call) {
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
		o.logger.Warn("telegram rejected a call", "chat", id, "err", err)
	case c.Slot == "" && o.ctx.Err() == nil:
		o.logger.Warn("telegram call failed; retrying", "chat", id, "err", err)
		to.again(c)
	}
	o.wake()
}

// hold is Telegram's word to wait: nothing goes to the chat until then, and later
// it goes slower. What only shows something is not worth a second try: newer
// words will come. Telegram does not say whether it means the chat or the bot;
// where two chats are told so at the same moment, it means the bot. The lock is
// held.
func (o *Outbox) hold(id int64, to *chat, c Call, wait time.Duration) {
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

// again puts a call that failed back, behind a pause.
func (to *chat) again(c Call) {
	to.failures++
	to.ready = time.Now().Add(min(time.Second<<min(to.failures-1, 5), slowest))
	to.sure = append([]Call{c}, to.sure...)
}
