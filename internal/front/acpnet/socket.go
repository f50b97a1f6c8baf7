package acpnet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	iacp "github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/front/acp"
	"github.com/bellcord/bellcord/internal/front/web"
	"github.com/bellcord/bellcord/internal/jsonrpc"
	"github.com/bellcord/bellcord/internal/websocket"
)

// socket is a connection over WebSocket: one message per text frame, in order
// in both directions.
type socket struct {
	server *Server
	access *web.Access
	ws     *websocket.Conn
	conn   *jsonrpc.Conn
	acp    *acp.Server
	out    *outbox

	started bool // initialize has arrived; used only by the reader
}

// serveSocket serves a connection until it ends.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request, access *web.Access) {
	leave, err := s.admit(access)
	if err != nil {
		s.refuseConnection(w, r, err)
		return
	}
	defer leave()
	w.Header().Set("Acp-Connection-Id", newConnectionID())
	ws, err := websocket.Accept(w, r, s.config.MostMessage)
	if err != nil {
		s.config.Logger.Debug("WebSocket upgrade failed", "err", err)
		return
	}
	ws.Reserve = access.Reserve
	c := &socket{server: s, access: access, ws: ws, out: newOutbox()}
	c.conn = jsonrpc.NewMessages(c.out)
	c.acp = s.connect(c.conn, access, false)
	if !s.add(c) {
		ws.Close(websocket.GoingAway, "the server is shutting down")
		return
	}
	defer s.remove(c)
	c.serve(context.WithoutCancel(r.Context()))
}

// refuseConnection answers a request for a connection above a limit.
func (s *Server) refuseConnection(w http.ResponseWriter, r *http.Request, err error) {
	if status, _, _ := s.config.Web.Problem(err); status != http.StatusInternalServerError {
		s.config.Web.Refuse(w, r, err)
		return
	}
	w.Header().Set("Retry-After", "1")
	refuse(w, http.StatusTooManyRequests, err.Error())
}

// serve reads messages until the connection ends. Prompts are accepted and stops
// are carried out in the order of the messages.
func (c *socket) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { c.write(ctx) })
	work.Go(func() { c.beat(ctx) })
	defer work.Wait()
	defer cancel()
	defer c.ws.Cut()
	defer c.out.fail()
	defer c.acp.Leave()
	begun := time.AfterFunc(handshake, func() { c.ws.Close(websocket.Refused, "no initialize request") })
	defer begun.Stop()
	for {
		message, release, err := c.ws.Read(ctx)
		if err != nil {
			c.refuseRead(err)
			return
		}
		c.receive(message)
		release()
		if c.started {
			begun.Stop()
		}
	}
}

// refuseRead closes a connection after a message that is not read to its end.
func (c *socket) refuseRead(err error) {
	switch {
	case errors.Is(err, websocket.ErrTooLarge):
		c.ws.Close(websocket.TooLarge, fmt.Sprintf("a message may have at most %d bytes", c.server.config.MostMessage))
	case websocket.CloseStatus(err) == -1:
		c.server.config.Logger.Debug("ACP connection ended", "err", err)
		c.ws.Close(websocket.Overload, "the message could not be read")
	}
}

func (c *socket) receive(message []byte) {
	if err := web.CheckShape(message); err != nil {
		_, id := methodOf(message)
		c.conn.ReplyError(id, c.server.problem(err))
		return
	}
	c.conn.Receive(message, func(m jsonrpc.Message) {
		switch initialize := m.Method == iacp.MethodInitialize; {
		case initialize == c.started:
			if m.IsRequest() {
				c.conn.ReplyError(m.ID, &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "initialize must be the first request, and must be sent once"})
			}
			return
		case initialize:
			c.started = true
		}
		c.acp.Handle(m)
	})
}

// write writes the messages of the outbox. If a write takes longer than
// Limits.Stall or the outbox is over its limit, it ends the connection.
func (c *socket) write(ctx context.Context) {
	for {
		messages, err := c.out.take(ctx)
		if errors.Is(err, errFull) {
			c.ws.Close(websocket.Overload, err.Error())
		}
		if err != nil {
			return
		}
		for _, message := range messages {
			bounded, done := context.WithTimeout(ctx, c.server.config.Stall)
			err := c.ws.Write(bounded, message)
			done()
			if err != nil {
				c.out.fail()
				c.ws.Cut()
				return
			}
			c.out.written(len(message))
		}
	}
}

// beat pings the client, checks its token again and keeps its sessions open.
func (c *socket) beat(ctx context.Context) {
	tick := time.NewTicker(c.server.config.KeepAlive)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		bounded, done := context.WithTimeout(ctx, c.server.config.Stall)
		pinged := c.ws.Ping(bounded)
		checked := c.access.Recheck(bounded)
		c.server.keepOpen(bounded, c.acp)
		done()
		switch {
		case checked != nil:
			c.end("the token is no longer valid")
			return
		case pinged != nil:
			c.ws.Cut()
			return
		}
	}
}

func (c *socket) end(why string) { c.ws.Close(websocket.GoingAway, why) }

// outbox contains the unwritten messages of a connection. It implements
// jsonrpc.Output.
type outbox struct {
	mu     sync.Mutex
	queue  [][]byte
	size   int           // bytes of queue, and of messages that are being written
	moved  chan struct{} // closed and replaced when something changes
	failed error
}

// errFull means that the client does not read what is sent to it.
var errFull = errors.New("more than 64 MiB are unwritten")

func newOutbox() *outbox { return &outbox{moved: make(chan struct{})} }

// Put implements jsonrpc.Output.
func (o *outbox) Put(message []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed != nil {
		return
	}
	o.queue = append(o.queue, message)
	if o.size += len(message); o.size > mostBuffered {
		o.failed, o.queue = errFull, nil
	}
	o.changed()
}

func (o *outbox) changed() {
	close(o.moved)
	o.moved = make(chan struct{})
}

// take returns the queued messages, or waits for one.
func (o *outbox) take(ctx context.Context) ([][]byte, error) {
	for {
		o.mu.Lock()
		messages, failed, moved := o.queue, o.failed, o.moved
		o.queue = nil
		o.mu.Unlock()
		switch {
		case failed != nil:
			return nil, failed
		case len(messages) > 0:
			return messages, nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (o *outbox) written(bytes int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.size -= bytes
	o.changed()
}

// fail drops all messages.
func (o *outbox) fail() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed == nil {
		o.failed, o.queue = jsonrpc.ErrClosed, nil
		o.changed()
	}
}

// WaitWritable implements jsonrpc.Output.
func (o *outbox) WaitWritable(ctx context.Context) error {
	for {
		o.mu.Lock()
		ready, moved := o.failed != nil || o.size < roomy, o.moved
		o.mu.Unlock()
		if ready {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// isBatch reports whether a message is an array.
func isBatch(message []byte) bool {
	message = bytes.TrimLeft(message, " \t\r\n")
	return len(message) > 0 && message[0] == '[' && json.Valid(message)
}
