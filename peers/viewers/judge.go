package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/bellcord/bellcord"
)

// catchUp is how long a viewer may take to have seen everything: the second that
// a browser waits, and a lot.
const catchUp = 20 * time.Second

// judge lets all viewers see the rest, undisturbed, and compares.
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
	t.count(&r)
	for l, id := range t.viewers {
		_ = l.reach(bounded, int64(len(records[id]))) // what did not come is counted as missing
		v := l.compare(records[id])
		shown, terr := l.text()
		stored, serr := spoken(records[id])
		if err := errors.Join(terr, serr); err != nil {
			return r, err
		}
		if !v.good() || shown != stored {
			r.unlike = append(r.unlike, fmt.Sprintf("%s: %+v, text of %d characters, %d on record", l.name, v, len(shown), len(stored)))
		}
		r.verdict = r.add(v)
	}
	return r, nil
}

// lastCurls has each curl read to the end of the record; a browser's streams are
// open anyway.
func (t *trial) lastCurls(bounded context.Context, records map[bellcord.SessionID][]string) error {
	for _, c := range t.curls {
		end, left := make(chan time.Time), make(chan error, 1)
		go func() { left <- c.once(bounded, end, math.MaxInt64) }()
		_ = c.reach(bounded, int64(len(records[t.viewers[c.ledger]]))) // judged later
		close(end)
		if err := <-left; err != nil && bounded.Err() == nil {
			return err
		}
	}
	return nil
}

// count says how the kills were made. The one reason for which an EventSource may
// give up is half a head.
func (t *trial) count(r *report) {
	torn := int64(0)
	for _, c := range t.curls {
		r.curl += int(c.killed.Load())
		torn += c.torn.Load()
	}
	gaveUp := t.pages.gaveUp.Load()
	r.browser = int(t.cutter.resets.Load() + t.cutter.ends.Load())
	r.cuts = fmt.Sprintf("%s, after which an EventSource gave up and was opened anew %d times; curl killed %d times inside an event", t.cutter, gaveUp, torn)
	if gaveUp > t.cutter.headless.Load() {
		r.unlike = append(r.unlike, "an EventSource gave up for another reason than half a head")
	}
}
