package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// waitTime is how long each rate is offered.
const waitTime = 15 * time.Second

// clusterWaits measures how long a token waits for its commit: from Emit until a reader at the same
// node receives it. In parallel it measures a bare commit of one row at intervals.
func clusterWaits(ctx context.Context, out io.Writer, s *clusterStage) error {
	during := time.Duration(scaled(int(waitTime)))
	fmt.Fprintf(out, "emitted to received by a reader at the same node, for %v each\n", during.Round(time.Second/10))
	for _, load := range []struct {
		turns int
		every time.Duration
	}{{10, time.Second}, {100, 100 * time.Millisecond}, {500, pace}} {
		w := &waits{during: during}
		if err := w.measure(ctx, s, load.turns, load.every); err != nil {
			return err
		}
		offered := load.turns * int(time.Second/load.every)
		row(out, fmt.Sprintf("%d per second offered, %d turns", offered, load.turns), w.took)
		row(out, "bare: commit of one row in parallel", w.bare)
		ratio(out, w.took, w.bare, fmt.Sprintf("%.0f per second received", float64(len(w.took))/w.lasted.Seconds()))
	}
	return nil
}

// waits are the measurements of one rate.
type waits struct {
	during, lasted time.Duration

	mu   sync.Mutex
	took []time.Duration
	bare []time.Duration
	from time.Time // earlier tokens are not counted
	to   time.Time
}

func (w *waits) measure(ctx context.Context, s *clusterStage, turns int, every time.Duration) (err error) {
	bares, err := s.openBares(ctx, 1)
	defer func() { closeBares(bares) }()
	if err != nil {
		return err
	}
	n, err := s.openHub(ctx, "hub", ticking{every}, nil)
	if err != nil {
		return err
	}
	var reading sync.WaitGroup
	reads, done := context.WithTimeout(ctx, 10*time.Minute)
	defer func() {
		done()
		reading.Wait()
		err = errors.Join(err, n.closeHub())
	}()
	err = together(turns, func(int) error {
		turn, err := n.startTurn(ctx)
		if err != nil {
			return err
		}
		cursor, err := n.Events(ctx, turn.Session, 0)
		if err == nil {
			reading.Go(func() { w.read(reads, cursor) })
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := pause(ctx, every+time.Second); err != nil { // the arrival of the turns is not measured
		return err
	}
	began := time.Now()
	w.between(began, began.Add(w.during))
	for time.Since(began) < w.during {
		took, err := bares[0].commit(ctx)
		if err != nil {
			return err
		}
		w.bare = append(w.bare, took)
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	w.lasted = w.during
	return pause(ctx, time.Second) // for late tokens, which count most
}

// between sets the period in which tokens are counted, by the time they were emitted.
func (w *waits) between(from, to time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.from, w.to = from, to
}

// read measures the age of the words it receives, until ctx ends. Each word is the time at which it
// was emitted.
func (w *waits) read(ctx context.Context, cursor *hub.Cursor) {
	defer cursor.Close()
	for {
		events, err := cursor.Next(ctx)
		if err != nil {
			return
		}
		now := time.Now()
		for _, ev := range events {
			delta, is := ev.Body.(bellcord.TextDelta)
			if !is {
				continue
			}
			for _, word := range strings.Fields(delta.Text) {
				if at, err := strconv.ParseInt(word, 10, 64); err == nil {
					w.note(time.Unix(0, at), now)
				}
			}
		}
	}
}

func (w *waits) note(sent, seen time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if sent.After(w.from) && sent.Before(w.to) {
		w.took = append(w.took, seen.Sub(sent))
	}
}
