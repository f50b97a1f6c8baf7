package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// openGrace is how long a start may continue after a signal.
const openGrace = 5 * time.Second

// openUntilSignal calls open, and cancels its context at the first signal: a
// start can hang, for example because a database does not respond. It returns
// openGrace after the signal even if open does not. A server that was opened in
// this time is closed. cancel is that of ctx.
func openUntilSignal[S io.Closer](
	ctx context.Context, cancel func(), signals <-chan os.Signal, open func(context.Context) (S, error),
) (S, error) {
	type opened struct {
		server S
		err    error
	}
	done := make(chan opened, 1)
	go func() { // not waited for after a signal: the process ends
		s, err := open(ctx)
		done <- opened{s, err}
	}()
	select {
	case o := <-done:
		return o.server, o.err
	case got := <-signals:
		cancel()
		var closed error
		select {
		case o := <-done:
			if o.err == nil {
				closed = o.server.Close()
			}
		case <-time.After(openGrace):
		}
		var none S
		return none, errors.Join(fmt.Errorf("the start was ended by the signal %q", got.String()), closed)
	}
}
