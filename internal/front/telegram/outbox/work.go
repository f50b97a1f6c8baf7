package outbox

import (
	"errors"
	"time"
)

// sameMoment is how close together two refusals are that have one reason.
const sameMoment = 2 * time.Second

// work makes a chat's calls one after the other until none waits.
func (o *Outbox) work(id int64, to *chat) {
	failures := 0
	for o.await(to) {
		c, there := o.take(id, to)
		if !there {
			return
		}
		err := c.Do(o.ctx)
		var wait *TooMany
		switch {
		case err == nil:
			failures = 0
		case errors.As(err, &wait):
			o.hold(id, to, c, wait.RetryAfter)
		case errors.Is(err, ErrNever):
			o.logger.Warn("telegram refuses a call", "chat", id, "err", err)
		case c.Slot == "" && o.ctx.Err() == nil:
			failures++
			o.logger.Warn("a call to telegram failed, trying again", "chat", id, "err", err)
			o.again(to, c, failures)
		}
	}
}

// await waits until the chat's turn has come, and the bot's. It reports whether
// to go on.
func (o *Outbox) await(to *chat) bool {
	for {
		wait := o.until(to)
		if wait <= 0 {
			return true
		}
		select {
		case <-time.After(wait):
		case <-o.ctx.Done():
			return false
		}
	}
}

// until is how long the chat has to wait; at 0 its turn, and the bot's, is taken.
func (o *Outbox) until(to *chat) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	at := to.ready
	if o.next.After(at) {
		at = o.next
	}
	if wait := at.Sub(now); wait > 0 {
		return wait
	}
	o.next = now.Add(o.pace.All)
	return 0
}

// take removes the chat's next call: what has to arrive first. Without one the
// worker ends, and the chat is forgotten once its pace no longer matters.
func (o *Outbox) take(id int64, to *chat) (Call, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var c Call
	switch {
	case len(to.sure) > 0:
		c, to.sure = to.sure[0], to.sure[1:]
	case len(to.shown) > 0:
		c, to.shown = to.shown[0], to.shown[1:]
	default:
		to.working = false
		if to.stretch == 0 {
			delete(o.chats, id)
		}
		return c, false
	}
	pace := o.pace.Private
	if c.Group {
		pace = o.pace.Group
	}
	to.ready = time.Now().Add(pace + to.stretch)
	to.stretch /= 2
	return c, true
}

// hold is Telegram's word to wait: nothing goes to the chat until then, and later
// it goes slower. What only shows something is not worth a second try: newer
// words will come. Telegram does not say whether it means the chat or the bot;
// where two chats are told so at the same moment, it means the bot.
func (o *Outbox) hold(id int64, to *chat, c Call, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	until := now.Add(wait)
	if until.After(to.ready) {
		to.ready = until
	}
	if o.refused != id && now.Sub(o.refusedAt) < sameMoment && until.After(o.next) {
		o.next = until
	}
	o.refused, o.refusedAt = id, now
	to.stretch = min(max(2*to.stretch, time.Second), slowest)
	if c.Slot == "" {
		to.sure = append([]Call{c}, to.sure...)
	}
}

// again puts a call that failed back, behind a pause.
func (o *Outbox) again(to *chat, c Call, failures int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	pause := min(time.Second<<min(failures-1, 5), slowest)
	to.ready = time.Now().Add(pause)
	to.sure = append([]Call{c}, to.sure...)
}
