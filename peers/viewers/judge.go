package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/bellcord/bellcord"
)

// catchUp is how long a viewer may take to receive all events. It is much longer than a page waits
// before it reconnects.
const catchUp = 20 * time.Second

// judge lets all viewers receive the remaining events without kills, and compares.
func (t *trial) judge(ctx context.Context) (r report, err error) {
	records := map[bellcord.SessionID][]string{}
	for _, id := range t.sessions {
		if records[id], err = t.record(ctx, id); err != nil {
			return r, err
		}
	}
	bounded, done := context.WithTimeout(ctx, catchUp)
	defer done()
	if err := t.lastCurls(bounded, records); err != nil {
		return r, err
	}
	t.countKills(&r)
	for l, id := range t.viewers {
		_ = l.reach(bounded, int64(len(records[id]))) // missing events are counted below
		v := l.compare(records[id])
		shown, terr := l.answerText()
		stored, serr := answerText(records[id])
		if err := errors.Join(terr, serr); err != nil {
			return r, err
		}
		if !v.good() || shown != stored {
			r.unlike = append(r.unlike, fmt.Sprintf("%s: %+v, text of %d characters, %d on record", l.name, v, len(shown), len(stored)))
		}
		r.verdict = r.merge(v)
	}
	return r, nil
}

// lastCurls lets each curl read to the end of the record. A browser's streams are open anyway.
func (t *trial) lastCurls(bounded context.Context, records map[bellcord.SessionID][]string) error {
	for _, c := range t.curls {
		end, left := make(chan time.Time), make(chan error, 1)
		go func() { left <- c.once(bounded, end, math.MaxInt64) }()
		_ = c.reach(bounded, int64(len(records[t.viewers[c.ledger]]))) // compared later
		close(end)
		if err := <-left; err != nil && bounded.Err() == nil {
			return err
		}
	}
	return nil
}

// countKills reports how the connections were killed. The pages report about as many losses as
// there were kills: if a reused connection is cut before the first byte of an answer, Chromium
// silently repeats the request.
func (t *trial) countKills(r *report) {
	torn := int64(0)
	for _, c := range t.curls {
		r.curl += int(c.killed.Load())
		torn += c.torn.Load()
	}
	losses := t.pages.losses.Load()
	r.browser = int(t.cutter.resets.Load() + t.cutter.ends.Load())
	r.cuts = fmt.Sprintf("%s, which the pages noticed %d times; curl killed %d times inside an event", t.cutter, losses, torn)
	if r.browser > 0 && losses == 0 {
		r.unlike = append(r.unlike, "no page noticed that its connections were cut")
	}
}
