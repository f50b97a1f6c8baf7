package acpbridge

import (
	"context"
	"sync"

	"github.com/bellcord/bellcord/internal/websocket"
)

// link is a connection to the server with a queue of messages. send never waits
// for the network, so that a server that does not read blocks nothing else: the
// editor's stop is accepted, and updates reach the editor.
type link struct {
	conn *websocket.Conn
	over chan struct{} // closed when nothing is written any more

	mu    sync.Mutex
	queue []outgoing
	size  int           // bytes in the queue
	more  chan struct{} // has a value if the queue may have messages
}

// outgoing is a message, or a mark: written is closed when everything before it
// was written.
type outgoing struct {
	text    []byte
	written chan struct{}
}

// mostQueued is the number of bytes that may wait for the network. A connection
// with more is cut; what has no response is sent again on the next one.
const mostQueued = 2 * MostMessage

func newLink(conn *websocket.Conn) *link {
	return &link{conn: conn, over: make(chan struct{}), more: make(chan struct{}, 1)}
}

// send appends a message to the queue.
func (l *link) send(text []byte) { l.add(outgoing{text: text}) }

func (l *link) add(o outgoing) {
	l.mu.Lock()
	l.queue = append(l.queue, o)
	l.size += len(o.text)
	tooMuch := l.size > mostQueued
	l.mu.Unlock()
	if tooMuch {
		l.conn.Cut()
	}
	select {
	case l.more <- struct{}{}:
	default: // the writer will see it
	}
}

// write writes the queue until ctx ends. A connection that fails, or makes no
// progress for writeTime, is cut, so that its reader ends.
func (l *link) write(ctx context.Context) {
	defer close(l.over)
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.more:
		}
		for _, o := range l.take() {
			if o.written != nil {
				close(o.written)
			} else if !l.writeOne(ctx, o.text) {
				l.conn.Cut()
				return
			}
		}
	}
}

func (l *link) take() []outgoing {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.queue
	l.queue = nil
	return all
}

func (l *link) writeOne(ctx context.Context, text []byte) bool {
	ctx, done := context.WithTimeout(ctx, writeTime)
	defer done()
	err := l.conn.Write(ctx, text)
	l.mu.Lock()
	l.size -= len(text)
	l.mu.Unlock()
	return err == nil
}

// flush waits until the messages in the queue were written, or can no longer be.
func (l *link) flush(ctx context.Context) {
	written := make(chan struct{})
	l.add(outgoing{written: written})
	select {
	case <-written:
	case <-l.over:
	case <-ctx.Done():
	}
}
