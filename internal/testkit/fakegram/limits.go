package fakegram

import (
	"math"
	"time"
)

const (
	shortestWait = 3  // seconds of a 429
	groupMinute  = 20 // messages and edits in any minute
)

// weight is the limit that a call counts against.
type weight int

const (
	weighsNothing weight = iota
	weighsMessage
	weighsEdit
	weighsDraft
)

// bucket is a token bucket: it holds size tokens, and rate tokens are refilled
// per second.
type bucket struct {
	size, rate float64
	spent      float64
	at         time.Time
}

// wait returns the time until a token is available; 0 if one is.
func (b *bucket) wait(now time.Time) time.Duration {
	b.spent = max(0, b.spent-now.Sub(b.at).Seconds()*b.rate)
	b.at = now
	if lacking := b.spent + 1 - b.size; lacking > 1e-9 {
		return time.Duration(lacking / b.rate * float64(time.Second))
	}
	return 0
}

// ban is the wait that a 429 imposes.
type ban struct {
	until   time.Time
	seconds int
}

func (b *ban) startBan(now time.Time, seconds int) {
	b.seconds, b.until = seconds, now.Add(time.Duration(seconds)*time.Second)
}

// broken reports whether a call comes before the wait has passed. In that case
// the wait has doubled, counted from now.
func (b *ban) broken(now time.Time) (seconds int, is bool) {
	if !now.Before(b.until) {
		return 0, false
	}
	b.startBan(now, 2*b.seconds)
	return b.seconds, true
}

// spend counts a call against all its limits, or imposes the wait of the limit
// that it exceeds. A call refused here takes no token.
func (p *play) spend(w weight) error {
	if w == weighsNothing {
		return nil
	}
	if lack := p.all.wait(p.now); lack > 0 {
		return p.impose(&p.ban, lack)
	}
	own := p.chat.bucket(w)
	lack := max(own.wait(p.now), p.chat.minuteLack(p.now, w))
	if lack > 0 {
		return p.impose(&p.chat.ban, lack)
	}
	p.all.spent++
	own.spent++
	if w != weighsDraft {
		p.chat.minute = append(p.chat.minute, p.now)
	}
	return nil
}

func (p *play) impose(hold *ban, lack time.Duration) error {
	hold.startBan(p.now, max(shortestWait, int(math.Ceil(lack.Seconds()))))
	return tooMany(hold.seconds)
}

func (c *chat) bucket(w weight) *bucket {
	switch w {
	case weighsEdit:
		return &c.edits
	case weighsDraft:
		return &c.draftings
	case weighsNothing, weighsMessage:
	}
	return &c.sends
}

// minuteLack returns the time until a group accepts another message or edit, at
// most twenty in any minute. It is 0 for private chats.
func (c *chat) minuteLack(now time.Time, w weight) time.Duration {
	for len(c.minute) > 0 && now.Sub(c.minute[0]) >= time.Minute {
		c.minute = c.minute[1:]
	}
	if c.private() || w == weighsDraft || len(c.minute) < groupMinute {
		return 0
	}
	return c.minute[0].Add(time.Minute).Sub(now)
}
