package acpnet

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	iacp "github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/front/acp"
	"github.com/bellcord/bellcord/internal/front/web"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// httpConnection is a connection over HTTP: each POST carries a message of the
// client, and streams carry those of the server.
type httpConnection struct {
	server  *Server
	id      string
	access  *web.Access
	conn    *jsonrpc.Conn
	acp     *acp.Server
	streams *streams
	leave   func()

	receiving sync.Mutex // held while a message is handled

	mu      sync.Mutex
	ended   chan struct{}
	isEnded bool
	idle    *time.Timer
	last    time.Time // of the last use
}

func newHTTPConnection(s *Server, access *web.Access, leave func()) *httpConnection {
	c := &httpConnection{server: s, id: newConnectionID(), access: access, leave: leave, ended: make(chan struct{}), last: time.Now()}
	c.streams = newStreams(func() { go c.end(errFull.Error()) })
	c.conn = jsonrpc.NewMessages(c.streams)
	c.acp = s.connect(c.conn, access, true)
	c.idle = time.AfterFunc(s.config.Idle, c.releaseIdle)
	return c
}

// initialize handles the first message and returns its response.
func (c *httpConnection) initialize(ctx context.Context, text []byte, id json.RawMessage) (json.RawMessage, error) {
	response := c.streams.capture(id)
	c.receiving.Lock()
	c.conn.Receive(text, c.acp.Handle)
	c.receiving.Unlock()
	select {
	case message := <-response:
		return message, nil
	case <-c.ended:
		return nil, jsonrpc.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// receive handles a message. Messages of one connection are handled one after
// the other, in the order of their arrival.
func (c *httpConnection) receive(text []byte, m incoming, session string) error {
	c.receiving.Lock()
	defer c.receiving.Unlock()
	if c.over() {
		return errEnded
	}
	c.used()
	switch m.Method {
	case "":
	case iacp.MethodLoadSession:
		c.streams.expect(m.ID, route{behind: session})
		c.streams.reopen(session)
	case iacp.MethodResumeSession:
		c.streams.expect(m.ID, route{session: session})
		c.streams.reopen(session)
	default:
		c.streams.expect(m.ID, route{session: session})
	}
	c.conn.Receive(text, c.acp.Handle)
	return nil
}

// used restarts the time after which an unused connection is released.
func (c *httpConnection) used() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = time.Now()
	if !c.isEnded {
		c.idle.Reset(c.server.config.Idle)
	}
}

func (c *httpConnection) lastUse() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// releaseIdle ends a connection that has no stream and got no request.
func (c *httpConnection) releaseIdle() {
	if c.streams.attached() > 0 {
		c.used()
		return
	}
	c.end("the connection was not used")
}

func (c *httpConnection) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isEnded
}

// end ends the connection and its streams. It stops no turn.
func (c *httpConnection) end(why string) {
	c.mu.Lock()
	was := c.isEnded
	c.isEnded = true
	c.idle.Stop()
	if !was {
		close(c.ended)
	}
	c.mu.Unlock()
	if was {
		return
	}
	c.server.config.Logger.Debug("ACP connection ended", "connection", c.id, "reason", why)
	c.server.mu.Lock()
	delete(c.server.http, c.id)
	c.server.mu.Unlock()
	c.server.remove(c)
	c.streams.fail()
	c.acp.Leave()
	c.leave()
}

// copyTo writes the messages of a stream until the client disconnects, a write
// takes too long, the token is revoked or the connection ends.
func (c *httpConnection) copyTo(ctx context.Context, w http.ResponseWriter, from *stream) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // ends with the stream
		select {
		case <-c.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	out, err := c.startStream(w)
	if err != nil {
		return
	}
	checked := time.Now()
	for {
		if time.Since(checked) >= c.server.config.KeepAlive {
			if c.access.Recheck(ctx) != nil {
				c.end("the token is no longer valid")
				return
			}
			c.server.keepOpen(ctx, c.acp)
			checked = time.Now()
		}
		beat, done := context.WithTimeout(ctx, c.server.config.KeepAlive)
		messages, err := c.streams.take(beat, from)
		done()
		if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
			return
		}
		frame, size := frameOf(messages)
		err = out.write(frame)
		c.streams.written(from, size)
		if err != nil {
			return
		}
	}
}

// frameOf returns messages as server-sent events, and the size of the messages.
// Without messages it is a comment.
func frameOf(messages [][]byte) (frame []byte, size int) {
	for _, message := range messages {
		frame = append(append(append(frame, "data: "...), message...), "\n\n"...)
		size += len(message)
	}
	if len(messages) == 0 {
		frame = []byte(":\n\n")
	}
	return frame, size
}

// eventStream is the response that carries a stream.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
}

// startStream begins the response.
func (c *httpConnection) startStream(w http.ResponseWriter) (*eventStream, error) {
	e := &eventStream{w: w, control: http.NewResponseController(w), stall: c.server.config.Stall}
	_ = e.control.SetReadDeadline(time.Time{}) // otherwise it would end the stream
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // disables buffering in proxies
	w.WriteHeader(http.StatusOK)
	return e, e.control.Flush()
}

func (e *eventStream) write(data []byte) error {
	if err := e.control.SetWriteDeadline(time.Now().Add(e.stall)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := e.w.Write(data); err != nil { //nolint:gosec // the content type is text/event-stream
		return err
	}
	return e.control.Flush()
}
