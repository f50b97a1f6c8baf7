package client

import (
	"context"
	"io"
	"time"
)

// connection is one attempt to stream events. It implements io.Reader to
// detect silence: without data for that time, it is cancelled.
type connection struct {
	ctx      context.Context
	cut      context.CancelFunc
	quiet    *time.Timer
	body     io.ReadCloser
	messages *messages
}

func newConnection() *connection {
	c := &connection{}
	c.ctx, c.cut = context.WithCancel(context.Background())
	c.quiet = time.AfterFunc(silence, c.cut)
	return c
}

// Read reads from the body and restarts the timer.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.body.Read(p)
	c.quiet.Reset(silence)
	return n, err
}

func (c *connection) close() {
	c.quiet.Stop()
	c.cut()
	if c.body != nil {
		_ = c.body.Close()
	}
}
