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

// cutter is a proxy that passes bytes on and cuts every connection that carries
// a stream: half of them after a time, half after a number of bytes, wherever in
// a frame that is; half with a reset, half with an orderly end in the wrong
// place.
type cutter struct {
	listener net.Listener
	target   string
	left     atomic.Int64  // cuts that are still to be made
	done     chan struct{} // closed with the last

	resets, ends, torn atomic.Int64
	headless           atomic.Int64 // ends inside the head of an answer
}

// What a connection is given before it is cut. The page comes back after a tenth
// of a second, and later where it fails, so that cuts fall into the head of the
// answer, a backlog, and what is live.
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
		go l.ask()
		go c.forwardAnswers(l)
	}
}

// link is a connection through the cutter.
type link struct {
	viewer *net.TCPConn
	server net.Conn
	fated  atomic.Bool  // it carries a stream
	bytes  atomic.Int64 // that may still pass before the cut; 0 for no such bound
	head   []byte       // of the stream's answer, as far as it has passed
}

// ask passes requests on. A connection's fate is drawn before the server hears
// of the stream, so that a cut can fall before the first byte of its answer.
func (l *link) ask() {
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

// forwardAnswers passes answers on until the time or the bytes are used up.
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

// headed reports whether the head of the stream's answer has passed.
func (l *link) headed() bool { return bytes.Contains(l.head, []byte("\r\n\r\n")) }

// frameEnd is how the server's writes end: a blank line, and the end of a chunk.
const frameEnd = "\n\n\r\n"

// claimCut reports whether there is a cut left to be made, and makes it ours.
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
		return // closing it is a reset now
	}
	if len(l.head) > 0 && !l.headed() {
		c.headless.Add(1)
	}
	c.ends.Add(1) // closing it is an end: all that the viewer sent has been read
}
