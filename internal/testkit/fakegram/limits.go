package fakegram

import (
	"math"
	"time"
)

const (
	shortestWait = 3  // seconds, of a 429
	groupMinute  = 20 // messages and edits in any minute
)

// weight says which limit a call counts for.
type weight int

const (
	weighsNothing weight = iota
	weighsMessage
	weighsEdit
	weighsDraft
)

// bucket is a limit that allows a burst: it holds size tokens, and rate of them
// come back each second.
type bucket struct {
	size, rate float64
	spent      float64
	at         time.Time
}

// wait says how long it is until a token is there; 0 if one is.
func (b *bucket) wait(now time.Time) time.Duration {
	b.spent = max(0, b.spent-now.Sub(b.at).Seconds()*b.rate)
	b.at = now
	if lacking := b.spent + 1 - b.size; lacking > 1e-9 {
		return time.Duration(lacking / b.rate * float64(time.Second))
	}
	return 0
}

// ban is a wait that was imposed.
type ban struct {
	until   time.Time
	seconds int
}

func (b *ban) startBan(now time.Time, seconds int) {
	b.seconds, b.until = seconds, now.Add(time.Duration(seconds)*time.Second)
}

// broken reports whether a call comes before the wait is over. If so, it has
// doubled, counted from now.
func (b *ban) broken(now time.Time) (seconds int, is bool) {
	if !now.Before(b.until) {
		return 0, false
	}
	b.startBan(now, 2*b.seconds)
	return b.seconds, true
}

// spend lets a call through all limits that it counts for, or makes the bot
// wait for the one that it exceeds. A call that is refused takes no token.
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

// minuteLack is for groups: how long it is until the last minute has seen fewer
// than twenty messages and edits.
func (c *chat) minuteLack(now time.Time, w weight) time.Duration {
	for len(c.minute) > 0 && now.Sub(c.minute[0]) >= time.Minute {
		c.minute = c.minute[1:]
	}
	if c.private() || w == weighsDraft || len(c.minute) < groupMinute {
		return 0
	}
	return c.minute[0].Add(time.Minute).Sub(now)
}
