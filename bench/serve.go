package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// pace is the interval of a turn's output: 20 events per second.
const pace = 50 * time.Millisecond

// serve measures a server with n live turns, each with a viewer, and a bare relay with the same
// load: whether words are late or lost, how long a stop takes from the request to the receipt, and
// how much memory a turn needs.
func serve(out io.Writer, n int, during time.Duration) error {
	fmt.Fprintf(out, "%d live turns of %d events per second each, %d viewers, for %s\n", n, time.Second/pace, n, during)
	bare, err := load(out, "relay", n, during)
	if err != nil {
		return fmt.Errorf("relay: %w", err)
	}
	loadResult, err := load(out, "served", n, during)
	if err != nil {
		return fmt.Errorf("served: %w", err)
	}
	fmt.Fprintf(out, "  memory per live turn: %d KiB with the relay (connection only), %d KiB with the server: %d KiB more\n",
		bare.each>>10, loadResult.each>>10, (loadResult.each-bare.each)>>10)
	if loadResult.lost > 0 || loadResult.broken > 0 {
		return fmt.Errorf("%d events lost, %d streams broken", loadResult.lost, loadResult.broken)
	}
	return nil
}

// loaded is the result of a run.
type loaded struct {
	each   int64 // bytes per live turn
	lost   int64
	broken int64
}

func load(out io.Writer, what string, n int, during time.Duration) (result loaded, err error) {
	ctx, done := context.WithTimeout(context.Background(), during+5*time.Minute)
	defer done()
	f, err := startFleet(ctx, what)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, f.endTurns()) }()
	idle, err := f.resident()
	if err == nil {
		err = f.fill(ctx, n)
	}
	if err != nil {
		return result, err
	}
	if err := pause(ctx, 3*time.Second); err != nil { // the arrival of the turns is not measured
		return result, err
	}
	f.dropEnded()
	began, words := time.Now(), f.words.Load()
	stops, err := f.stopSome(ctx, during)
	if err != nil {
		return result, err
	}
	rate := float64(f.words.Load()-words) / time.Since(began).Seconds()
	full, err := f.resident()
	if err != nil {
		return result, err
	}
	result = loaded{each: (full - idle) / int64(n), lost: f.lost.Load(), broken: f.broken.Load()}
	fmt.Fprintf(out, "  %s: %.0f words per second received of %d sent; %d events lost, %d streams broken; resident %d MiB\n",
		what, rate, n*int(time.Second/pace), result.lost, result.broken, full>>20)
	f.mu.Lock()
	row(out, what+": sent to received", f.lags)
	f.mu.Unlock()
	row(out, what+": stop over HTTP, request to answer", stops)
	return result, nil
}
