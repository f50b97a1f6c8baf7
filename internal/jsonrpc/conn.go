// Package jsonrpc speaks JSON-RPC 2.0 over a byte stream, one message a line.
//
// The order of the wire is kept both ways. Messages are handed over by the
// goroutine that reads them, in the order they came, so a handler can make sure
// that a cancel right behind a request finds it registered. What is sent goes
// out in the order of the calls, through one writer.
package jsonrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// Message is one that came in: a request, a notification or an answer.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// IsRequest reports whether the message wants an answer.
func (m Message) IsRequest() bool { return m.Method != "" && len(m.ID) > 0 }

// Error is an error on the wire.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Codes of errors.
const (
	ParseError       = -32700
	InvalidRequest   = -32600
	MethodNotFound   = -32601
	InvalidParams    = -32602
	InternalError    = -32603
	RequestCancelled = -32800
)

// ErrClosed is returned for a request whose answer can no longer come.
var ErrClosed = errors.New("the connection is closed")

// Conn is one end of a connection.
type Conn struct {
	in  lineReader
	out *writer

	mu      sync.Mutex
	lastID  int64
	pending map[string]chan Message // our requests that have no answer yet
	closed  bool
}

// New returns a connection that reads from in and writes to out. Nothing is
// read before Serve.
func New(in io.Reader, out io.Writer) *Conn {
	return &Conn{in: newLineReader(in), out: newWriter(out), pending: map[string]chan Message{}}
}

// Serve reads until the end of the input and hands each request and
// notification to handle, one after the other, in wire order. handle must not
// block. When Serve returns, all that was sent has been written, or the output
// is gone, or nobody reads it.
func (c *Conn) Serve(handle func(Message), ended func()) error {
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.out.writeAll()
	}()
	err := c.read(handle)
	c.abandonPending()
	ended()
	c.out.closeInput()
	last := time.NewTimer(lastWords)
	defer last.Stop()
	select {
	case <-written:
	case <-last.C: // nobody reads
	}
	return err
}

// lastWords is how long a connection that ends waits for a client to read what
// is still unwritten.
const lastWords = 3 * time.Second

func (c *Conn) read(handle func(Message)) error {
	for {
		line, err := c.in.next()
		var long tooLongError
		switch {
		case errors.As(err, &long):
			c.tooLong(long)
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		var m Message
		if err := json.Unmarshal(line, &m); err != nil {
			c.ReplyError(nil, notUnderstood(line, err))
			continue
		}
		switch {
		case m.Method != "":
			handle(m)
		case len(m.ID) > 0 && (m.Result != nil || m.Error != nil):
			c.deliverAnswer(m)
		default:
			c.ReplyError(m.ID, &Error{Code: InvalidRequest, Message: "neither a request nor a response"})
		}
	}
}

// tooLong answers a request that is too long under its id, where that is at the
// beginning of the line. An answer that is too long fails our request.
func (c *Conn) tooLong(long tooLongError) {
	id, isAnswer := head(long.beginning)
	failed := &Error{Code: InvalidRequest, Message: long.Error()}
	if isAnswer {
		c.deliverAnswer(Message{ID: id, Error: failed})
		return
	}
	c.ReplyError(id, failed)
}

// head reads the id from the beginning of a message, up to the first member that
// is not complete there, and whether the message is an answer.
func head(beginning []byte) (id json.RawMessage, isAnswer bool) {
	d := json.NewDecoder(bytes.NewReader(beginning))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return id, false
		}
		var value json.RawMessage
		err = d.Decode(&value)
		switch {
		case key == "result" || key == "error":
			return id, true
		case err != nil:
			return id, false
		case key == "id":
			id = value
		}
	}
	return id, false
}

func notUnderstood(line []byte, err error) *Error {
	if json.Valid(line) {
		return &Error{Code: InvalidRequest, Message: "not a JSON-RPC message (batches are not supported)"}
	}
	return &Error{Code: ParseError, Message: "parse error: " + err.Error()}
}

// Pending is a request of ours that may have no answer yet.
type Pending struct {
	conn   *Conn
	id     string
	answer chan Message // closed when none can come
}

// Request sends a request; Wait for its answer.
func (c *Conn) Request(method string, params any) *Pending {
	c.mu.Lock()
	c.lastID++
	p := &Pending{conn: c, id: strconv.FormatInt(c.lastID, 10), answer: make(chan Message, 1)}
	if c.closed {
		close(p.answer)
	} else {
		c.pending[p.id] = p.answer
	}
	c.mu.Unlock()
	c.sendMessage(outgoing{ID: json.RawMessage(p.id), Method: method, Params: params})
	return p
}

// Wait returns the answer: into result, or as an error. ErrClosed means that
// there will be none.
func (p *Pending) Wait(result any) error {
	return p.WaitContext(context.Background(), result)
}

// WaitContext is Wait for as long as ctx lives. When ctx ends first, its cause
// is returned and the request stays open: it can be waited for again.
func (p *Pending) WaitContext(ctx context.Context, result any) error {
	var m Message
	var ok bool
	select {
	case m, ok = <-p.answer:
	default:
		select {
		case m, ok = <-p.answer:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	switch {
	case !ok:
		return ErrClosed
	case m.Error != nil:
		return m.Error
	}
	return json.Unmarshal(m.Result, result)
}

// Cancel gives the request up: the other side is told so ($/cancel_request),
// in the order of what else is sent, and whatever it still answers is dropped.
// It does nothing when the answer is there, and reports whether it was not.
func (p *Pending) Cancel() (open bool) {
	p.conn.mu.Lock()
	_, open = p.conn.pending[p.id]
	delete(p.conn.pending, p.id)
	p.conn.mu.Unlock()
	if open {
		close(p.answer)
		p.conn.Notify("$/cancel_request", map[string]any{"requestId": json.RawMessage(p.id)})
	}
	return open
}

// Withdraw sends the other side the same notification as Cancel, but the
// request stays open: its answer reports whether it was carried out.
func (p *Pending) Withdraw() {
	p.conn.mu.Lock()
	_, open := p.conn.pending[p.id]
	p.conn.mu.Unlock()
	if open {
		p.conn.Notify("$/cancel_request", map[string]any{"requestId": json.RawMessage(p.id)})
	}
}

func (c *Conn) deliverAnswer(m Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer := c.pending[string(m.ID)]; answer != nil {
		delete(c.pending, string(m.ID))
		answer <- m // has room for one, and gets one
	}
}

func (c *Conn) abandonPending() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for id, answer := range c.pending {
		delete(c.pending, id)
		close(answer)
	}
}

type outgoing struct {
	ID     json.RawMessage
	Method string
	Params any
	Result any
	Error  *Error
}

// Notify sends a notification. It does not wait for it to be written.
func (c *Conn) Notify(method string, params any) {
	c.sendMessage(outgoing{Method: method, Params: params})
}

// Reply answers a request. It does not wait for it to be written.
func (c *Conn) Reply(id json.RawMessage, result any) { c.sendMessage(outgoing{ID: id, Result: result}) }

// ReplyError answers a request with an error; a nil id is sent as null.
func (c *Conn) ReplyError(id json.RawMessage, e *Error) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	c.sendMessage(outgoing{ID: id, Error: e})
}

// Room waits until little enough is unwritten that more should be sent: what
// makes a slow client slow its own updates and nothing else.
func (c *Conn) Room(ctx context.Context) error { return c.out.room(ctx) }

func (c *Conn) sendMessage(m outgoing) {
	line, err := m.encode()
	if err != nil {
		line, _ = outgoing{ID: m.ID, Error: &Error{Code: InternalError, Message: err.Error()}}.encode()
	}
	c.out.put(append(line, '\n'))
}

// encode writes the fields that belong to the kind of message this is: a result
// is there even when it is null, which omitempty cannot say. It is no
// MarshalJSON, whose output would be scanned once more.
func (m outgoing) encode() ([]byte, error) {
	fields := map[string]any{"jsonrpc": "2.0"}
	if m.ID != nil {
		fields["id"] = m.ID
	}
	switch {
	case m.Method != "":
		fields["method"] = m.Method
		if m.Params != nil {
			fields["params"] = m.Params
		}
	case m.Error != nil:
		fields["error"] = m.Error
	default:
		fields["result"] = m.Result
	}
	return json.Marshal(fields)
}
