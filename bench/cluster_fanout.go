package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// fanOutCount is the number of measured events at full size.
const fanOutCount = 10_000

// fanOut measures an event on its way from the node that runs the turn to a node that watches it.
type fanOut struct {
	texts    chan string // the turn's next text
	local    *hub.Cursor
	remote   *hub.Cursor
	from, to *nats.Conn
	received chan time.Time
}

// Run implements hub.Agent: it emits the texts it receives from its channel.
func (f *fanOut) Run(ctx context.Context, w *hub.Work) error {
	for {
		select {
		case text := <-f.texts:
			if err := w.Emit(bellcord.TextDelta{Text: text}); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// clusterFanOut measures how much later than at its origin an event is received at another node,
// compared with a bare publication of the same bytes. The two alternate.
func clusterFanOut(ctx context.Context, out io.Writer, s *clusterStage) (err error) {
	f := &fanOut{texts: make(chan string), received: make(chan time.Time, 1)}
	b, err := s.openHub(ctx, "b", f, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.closeHub()) }()
	a, err := s.openHub(ctx, "a", f, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.closeHub()) }()
	if err := f.connect(s.nats); err != nil {
		return err
	}
	defer f.from.Close()
	defer f.to.Close()
	turn, err := b.startTurn(ctx)
	if err != nil {
		return err
	}
	if err := turn.Accepted(ctx); err != nil {
		return err
	}
	if f.local, err = b.Events(ctx, turn.Session, 0); err != nil {
		return err
	}
	defer f.local.Close()
	if f.remote, err = a.Events(ctx, turn.Session, 0); err != nil {
		return err
	}
	defer f.remote.Close()
	return f.measure(ctx, out, scaled(fanOutCount))
}

// connect opens the two bare connections.
func (f *fanOut) connect(url string) (err error) {
	if f.from, err = nats.Connect(url); err != nil {
		return err
	}
	if f.to, err = nats.Connect(url); err != nil {
		return err
	}
	if _, err := f.to.Subscribe("bare.events", func(*nats.Msg) { f.received <- time.Now() }); err != nil {
		return err
	}
	return f.to.Flush()
}

func (f *fanOut) measure(ctx context.Context, out io.Writer, n int) error {
	var measured, bare []time.Duration
	const warmUp = 100
	for i := range n + warmUp {
		took, frame, err := f.follow(ctx, i)
		if err != nil {
			return err
		}
		began := time.Now()
		if err := f.from.Publish("bare.events", frame); err != nil {
			return err
		}
		select {
		case at := <-f.received:
			if i >= warmUp {
				measured, bare = append(measured, took), append(bare, at.Sub(began))
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	fmt.Fprintf(out, "a 200-byte event, durable at node B, sent to a reader at node A, one at a time\n")
	row(out, "seen at B to seen at A", measured)
	row(out, "bare: publish to receive the same bytes", bare)
	ratio(out, measured, bare, "aim: at most 2")
	return nil
}

// follow makes the turn emit an event. It returns how much later than at its origin the event was
// received at the other node, and the bytes that were sent between them.
func (f *fanOut) follow(ctx context.Context, i int) (time.Duration, []byte, error) {
	text := fmt.Sprintf("%-199d ", i)
	type seen struct {
		at  time.Time
		ev  bellcord.Event
		err error
	}
	until := func(c *hub.Cursor) <-chan seen {
		found := make(chan seen, 1)
		go func() {
			ev, at, err := readUntil(ctx, c, text)
			found <- seen{at, ev, err}
		}()
		return found
	}
	local, remote := until(f.local), until(f.remote)
	select {
	case f.texts <- text:
	case <-ctx.Done():
		return 0, nil, ctx.Err()
	}
	h, t := <-local, <-remote
	if err := errors.Join(h.err, t.err); err != nil {
		return 0, nil, err
	}
	frame, err := t.ev.MarshalJSON()
	return t.at.Sub(h.at), append(append([]byte{'['}, frame...), ']'), err
}

// readUntil reads events up to one with the given text, and returns it with the time it was received.
func readUntil(ctx context.Context, c *hub.Cursor, text string) (bellcord.Event, time.Time, error) {
	for {
		events, err := c.Next(ctx)
		now := time.Now()
		if err != nil {
			return bellcord.Event{}, now, err
		}
		for _, ev := range events {
			if delta, is := ev.Body.(bellcord.TextDelta); is && strings.HasSuffix(delta.Text, text) {
				return ev, now, nil
			}
		}
	}
}
