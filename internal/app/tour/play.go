package tour

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/bellcord/bellcord/internal/front/chat"
)

const (
	playWidth, playHeight = 80, 24
	// reading is the time before the first key of an instruction. It is longer than
	// a question must be visible before a key can answer it.
	reading = 900 * time.Millisecond
	// typing is the time between two keys of an instruction.
	typing = 300 * time.Millisecond
	// lingering is how long an action may delay the end.
	lingering = time.Second
)

// styles matches the styles of text on a terminal.
var styles = regexp.MustCompile("\x1b\\[[0-9;]*m")

// player presses the keys of the tour and prints the conversation as plain text.
type player struct {
	model  *chat.Model
	feed   *chat.Feed
	runner *chat.Runner
	out    io.Writer
	keys   []string // not pressed yet
	due    time.Time
	do     string // the current instruction
}

// Play shows the tour without a user: it presses the keys itself and only appends
// to out. It returns early if ctx ends.
func (t *Tour) Play(ctx context.Context, version string, out io.Writer) error {
	grown, reports := make(chan struct{}, 1), make(chan chat.Report, 64)
	p := &player{out: out}
	p.feed = &chat.Feed{Hub: t.Hub, Grown: func() {
		select {
		case grown <- struct{}{}:
		default:
		}
	}}
	p.runner = &chat.Runner{Hub: t.Hub, Report: func(r chat.Report) { reports <- r }}
	options := t.Options(version)
	options.Theme = chat.ThemePlain
	p.model = chat.New(options)
	beside, callOff := context.WithCancelCause(context.WithoutCancel(ctx))
	defer callOff(nil)
	defer func() {
		p.feed.Close()
		p.runner.Wait(lingering, func() { callOff(nil) })
	}()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-grown:
			p.model.Tick(time.Now())
			p.model.Take(p.feed.Take().Events)
		case r := <-reports:
			p.model.Apply(r)
		case now := <-tick.C:
			p.model.Tick(now)
			if left := p.press(beside, now); left {
				return p.print()
			}
		}
		p.feed.Watch(ctx, p.model.Session().ID)
		if err := p.print(); err != nil {
			return err
		}
	}
}

// press presses the next key if it is due, and reports whether it leaves the tour.
func (p *player) press(ctx context.Context, now time.Time) (left bool) {
	if len(p.keys) == 0 || now.Before(p.due) {
		return false
	}
	key := p.keys[0]
	p.keys, p.due = p.keys[1:], now.Add(typing)
	text := ""
	if len(key) == 1 {
		text = key
	}
	for _, action := range p.model.Press(key, text, now) {
		if _, leaves := action.(chat.Leave); leaves {
			return true
		}
		p.runner.Do(ctx, action)
	}
	return false
}

// print prints what is finished, and the current instruction once.
func (p *player) print() error {
	p.model.Screen(playWidth, playHeight) // a question must be visible before it can be answered
	for _, line := range p.model.Finished(playWidth) {
		if _, err := fmt.Fprintln(p.out, styles.ReplaceAllString(line, "")); err != nil {
			return err
		}
	}
	if g := p.model.Guidance(); g.Do != p.do {
		if _, err := fmt.Fprintln(p.out, "→ "+g.Do); err != nil {
			return err
		}
		p.do, p.keys, p.due = g.Do, g.Keys, time.Now().Add(reading)
	}
	return nil
}
