package mcp

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// pipe is the wire to a process. Unlike the SDK's connection, its Write returns
// when the context ends, it limits the size of messages, and it ignores lines
// that are not messages.
type pipe struct {
	process Process
	filter  *filter
	lines   lines
	queue   []jsonrpc.Message // read, not yet returned; used only by Read

	outbox chan *letter // first in, first out: a cancellation never overtakes its call
	once   sync.Once
	closed chan struct{}
	end    chan struct{}
}

// letter is a message to be written, unless it is withdrawn before.
type letter struct {
	data    []byte
	call    *pendingCall
	cancels bool
	taken   atomic.Bool // by the writer, or withdrawn
	written chan error  // buffered for one
}

// drain is how long output is still read after the process has ended: what it
// wrote is already in the pipe, and a grandchild may keep the pipe open
// forever.
const drain = 100 * time.Millisecond

func newPipe(p Process, d *filter) *pipe {
	w := &pipe{
		process: p,
		filter:  d,
		lines:   newLines(p.Stdout),
		outbox:  make(chan *letter, 64),
		closed:  make(chan struct{}),
		end:     make(chan struct{}),
	}
	go w.deliver()
	go w.mourn()
	return w
}

// Read returns the next message for the SDK. It returns io.EOF when the process
// has closed its output, or Close has ended the process.
func (w *pipe) Read(context.Context) (jsonrpc.Message, error) {
	for {
		for len(w.queue) > 0 {
			msg := w.queue[0]
			w.queue = w.queue[1:]
			pass, reply := w.filter.comes(msg)
			if pass {
				return msg, nil
			}
			w.sendReply(reply)
		}
		msgs, err := w.lines.next()
		if err != nil {
			return nil, io.EOF
		}
		w.queue = msgs
	}
}

// sendReply sends a reply if the outbox is less than half full. A server that
// sends requests faster than it reads gets no reply, and cannot delay calls and
// cancellations.
func (w *pipe) sendReply(reply *jsonrpc.Response) {
	if reply == nil || len(w.outbox) >= cap(w.outbox)/2 {
		return
	}
	if data, err := jsonrpc.EncodeMessage(reply); err == nil {
		select {
		case w.outbox <- &letter{data: append(data, '\n'), written: make(chan error, 1)}:
		default:
		}
	}
}

// Write returns when the message is written or ctx has ended. A request that
// the writer has not started by then is never written. For a notification,
// Write returns as soon as it is queued.
func (w *pipe) Write(ctx context.Context, msg jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	l := &letter{data: append(data, '\n'), written: make(chan error, 1)}
	l.call, l.cancels = w.filter.leaves(ctx, msg)
	select {
	case w.outbox <- l:
	case <-w.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
	if req, ok := msg.(*jsonrpc.Request); ok && !req.IsCall() {
		return nil
	}
	select {
	case err := <-l.written:
		return err
	case <-w.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		l.taken.CompareAndSwap(false, true)
		return ctx.Err()
	}
}

// deliver writes the messages in the outbox. A server that does not read blocks
// only this goroutine.
func (w *pipe) deliver() {
	for {
		select {
		case <-w.closed:
			return
		case l := <-w.outbox:
			if !l.taken.CompareAndSwap(false, true) {
				continue
			}
			err := w.writeLetter(l)
			l.written <- err
			if err != nil && !errors.Is(err, context.Canceled) {
				_ = w.Close()
				return
			}
		}
	}
}

func (w *pipe) writeLetter(l *letter) error {
	if l.call != nil && !l.cancels && !l.call.markSent() {
		return context.Canceled
	}
	n, err := w.process.Stdin.Write(l.data)
	switch {
	case l.call == nil:
	case l.cancels:
		l.call.markCancelSent()
	case err != nil && n == 0:
		l.call.unsend()
	}
	return err
}

// mourn closes the pipe of a process that ended by itself.
func (w *pipe) mourn() {
	select {
	case <-w.process.Done:
	case <-w.closed:
		return
	}
	timer := time.NewTimer(drain)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.closed:
	}
	_ = w.Close()
}

// Close ends the process and does not wait for it. Its output is still read
// until it has ended.
func (w *pipe) Close() error {
	w.once.Do(func() {
		close(w.closed)
		go func() {
			defer close(w.end)
			_ = w.process.Stdin.Close()
			w.process.End()
			_ = w.process.Stdout.Close()
		}()
	})
	return nil
}

func (w *pipe) gone() <-chan struct{} { return w.end }

func (w *pipe) agreed(string) {} // a process does not need the version with each message

// SessionID implements sdk.Connection. It returns "": a process has no session
// ID.
func (w *pipe) SessionID() string { return "" }
