package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// cutter is a proxy that forwards bytes and cuts every connection that carries a stream: half of
// them after a time, half after a number of bytes, at any place in a frame; half with a reset, half
// with an orderly close at the wrong place.
type cutter struct {
	listener net.Listener
	target   string
	left     atomic.Int64  // remaining cuts
	done     chan struct{} // closed after the last cut

	resets, ends, torn atomic.Int64
	headless           atomic.Int64 // orderly closes inside the head of an answer
}

// The limits after which a connection is cut. The page reconnects after a tenth of a second, and
// later after failures, so that cuts hit the head of an answer, a backlog and live events.
const (
	mostTime  = 1500 * time.Millisecond
	mostBytes = 24 << 10
)

func newCutter(ctx context.Context, target string, cuts int) (*cutter, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &cutter{listener: listener, target: target, done: make(chan struct{})}
	c.left.Store(int64(cuts))
	if cuts == 0 {
		close(c.done)
	}
	go c.accept(ctx)
	return c, nil
}

func (c *cutter) url() string { return "http://" + c.listener.Addr().String() }

func (c *cutter) stopServing() { _ = c.listener.Close() }

// String implements fmt.Stringer.
func (c *cutter) String() string {
	return fmt.Sprintf("browser cut by %d resets and %d ends, %d inside a frame, %d ends inside the head of an answer",
		c.resets.Load(), c.ends.Load(), c.torn.Load(), c.headless.Load())
}

func (c *cutter) accept(ctx context.Context) {
	for {
		viewer, err := c.listener.Accept()
		if err != nil {
			return
		}
		server, err := new(net.Dialer).DialContext(ctx, "tcp", c.target)
		if err != nil {
			_ = viewer.Close()
			continue
		}
		l := &link{viewer: viewer.(*net.TCPConn), server: server}
		go l.forwardRequests()
		go c.forwardAnswers(l)
	}
}

// link is a connection through the cutter.
type link struct {
	viewer *net.TCPConn
	server net.Conn
	fated  atomic.Bool  // it carries a stream
	bytes  atomic.Int64 // bytes that may pass before the cut; 0 for no limit
	head   []byte       // head of the stream's answer, as far as it has passed
}

// forwardRequests forwards requests. The limits of a connection are drawn before the server receives the
// stream's request, so that a cut can come before the first byte of its answer.
func (l *link) forwardRequests() {
	defer func() { _ = l.server.Close() }()
	buffer := make([]byte, 16<<10)
	for {
		n, err := l.viewer.Read(buffer)
		if bytes.Contains(buffer[:n], []byte("/events")) {
			l.fated.Store(true)
			if rand.IntN(2) == 0 {
				_ = l.server.SetReadDeadline(time.Now().Add(rand.N(mostTime)))
			} else {
				l.bytes.Store(1 + rand.Int64N(mostBytes))
			}
		}
		if err == nil {
			_, err = l.server.Write(buffer[:n])
		}
		if err != nil {
			return
		}
	}
}

// forwardAnswers forwards answers until the limit is reached.
func (c *cutter) forwardAnswers(l *link) {
	defer func() { _ = l.viewer.Close() }()
	defer func() { _ = l.server.Close() }()
	buffer := make([]byte, 16<<10)
	var tail []byte
	for {
		n, err := l.server.Read(buffer)
		piece := buffer[:n]
		most := l.bytes.Load()
		due := errors.Is(err, os.ErrDeadlineExceeded) || most > 0 && int64(n) >= most
		if due && !c.claimCut() {
			due, err = false, l.server.SetReadDeadline(time.Time{})
			most = 0
			l.bytes.Store(0)
		}
		if most > 0 {
			piece = piece[:min(int64(n), most)]
			l.bytes.Store(most - int64(len(piece)))
		}
		if _, werr := l.viewer.Write(piece); werr != nil || err != nil && !due {
			return
		}
		if l.fated.Load() && !l.headed() {
			l.head = append(l.head, piece...)
		}
		tail = append(tail, piece...)
		tail = tail[max(0, len(tail)-len(frameEnd)):]
		if due {
			c.cut(l, tail)
			return
		}
	}
}

// headed reports whether the complete head of the stream's answer has passed.
func (l *link) headed() bool { return bytes.Contains(l.head, []byte("\r\n\r\n")) }

// frameEnd is the end of each of the server's writes: a blank line and the end of a chunk.
const frameEnd = "\n\n\r\n"

// claimCut reports whether a cut remains, and claims it for the caller.
func (c *cutter) claimCut() bool {
	left := c.left.Add(-1)
	if left == 0 {
		close(c.done)
	}
	return left >= 0
}

func (c *cutter) cut(l *link, tail []byte) {
	if string(tail) != frameEnd {
		c.torn.Add(1)
	}
	if rand.IntN(2) == 0 {
		c.resets.Add(1)
		_ = l.viewer.SetLinger(0)
		return // closing it sends a reset now
	}
	if len(l.head) > 0 && !l.headed() {
		c.headless.Add(1)
	}
	c.ends.Add(1) // closing it is orderly: everything that the viewer sent has been read
}
