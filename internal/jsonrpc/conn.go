// Package jsonrpc implements JSON-RPC 2.0 over a byte stream, one message per
// line.
//
// Messages keep their order in both directions. The goroutine that reads the
// messages calls the handler for one after the other, so a handler can register
// a request before a cancel right after it is handled. Outgoing messages are
// written in the order of the calls, by one writer.
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

// Message is an incoming message: a request, a notification or a response.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// IsRequest reports whether the message requires a response.
func (m Message) IsRequest() bool { return m.Method != "" && len(m.ID) > 0 }

// Error is the error in a response.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error returns the message, followed by the code in parentheses.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Error codes.
const (
	ParseError       = -32700
	InvalidRequest   = -32600
	MethodNotFound   = -32601
	InvalidParams    = -32602
	InternalError    = -32603
	RequestCancelled = -32800
)

// ErrClosed is returned for a request that can no longer get a response.
var ErrClosed = errors.New("the connection is closed")

// Conn is one end of a connection.
type Conn struct {
	in     lineReader
	out    Output
	writer *writer // out, if it is a byte stream

	mu      sync.Mutex
	lastID  int64
	pending map[string]chan Message // requests that were sent and have no response yet
	closed  bool
}

// New returns a connection that reads from in and writes to out. Nothing is
// read before Serve.
func New(in io.Reader, out io.Writer) *Conn {
	w := newWriter(out)
	return &Conn{in: newLineReader(in), out: w, writer: w, pending: map[string]chan Message{}}
}

// Serve reads until the end of the input and calls handle for each request and
// notification, in order. handle must not block. At the end of the input, Serve
// fails all pending requests and calls ended. When Serve returns, everything
// that was sent has been written, or the output has failed, or the peer did not
// read the rest within 3 seconds.
func (c *Conn) Serve(handle func(Message), ended func()) error {
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.writer.writeAll()
	}()
	err := c.read(handle)
	c.abandonPending()
	ended()
	c.writer.closeInput()
	last := time.NewTimer(lastWords)
	defer last.Stop()
	select {
	case <-written:
	case <-last.C: // the peer does not read
	}
	return err
}

// lastWords is how long Serve waits at the end for the peer to read the
// unwritten output.
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
		c.Receive(line, handle)
	}
}

// tooLong rejects a request that is too long, with its id if the beginning of
// the line contains it. A response that is too long fails its request.
func (c *Conn) tooLong(long tooLongError) {
	id, isAnswer := head(long.beginning)
	failed := &Error{Code: InvalidRequest, Message: long.Error()}
	if isAnswer {
		c.deliverAnswer(Message{ID: id, Error: failed})
		return
	}
	c.ReplyError(id, failed)
}

// head returns the id at the beginning of a message, up to the first member
// that is incomplete there, and whether the message is a response.
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

// Pending is a request that was sent and may have no response yet.
type Pending struct {
	conn   *Conn
	id     string
	answer chan Message // closed if no response can arrive
}

// Request sends a request and returns without waiting. Use Wait to get the
// response.
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

// Wait waits for the response and stores it in result. It returns an *Error if
// the request failed, and ErrClosed if no response can arrive.
func (p *Pending) Wait(result any) error {
	return p.WaitContext(context.Background(), result)
}

// WaitContext is like Wait, but returns the cause of ctx if ctx is done first.
// The request then stays pending, and WaitContext can be called again.
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

// Cancel abandons the request: it sends $/cancel_request, in order with other
// messages, and a later response is dropped. If the response has already
// arrived, Cancel does nothing. It reports whether the request was still
// pending.
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

// Withdraw sends the same notification as Cancel, but the request stays
// pending: its response shows whether it was carried out.
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
		answer <- m // has a buffer of one and gets one message
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

// Notify sends a notification. It does not wait until it is written.
func (c *Conn) Notify(method string, params any) {
	c.sendMessage(outgoing{Method: method, Params: params})
}

// Reply sends the response to a request. It does not wait until it is written.
func (c *Conn) Reply(id json.RawMessage, result any) { c.sendMessage(outgoing{ID: id, Result: result}) }

// ReplyError sends an error response to a request. A nil id is sent as null.
func (c *Conn) ReplyError(id json.RawMessage, e *Error) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	c.sendMessage(outgoing{ID: id, Error: e})
}

// WaitWritable waits until less than 1 MiB of output is unwritten, the output has
// failed, or ctx is done. Senders of many messages call it first, so that a
// slow peer slows down only them.
func (c *Conn) WaitWritable(ctx context.Context) error { return c.out.WaitWritable(ctx) }

func (c *Conn) sendMessage(m outgoing) {
	line, err := m.encode()
	if err != nil {
		line, _ = outgoing{ID: m.ID, Error: &Error{Code: InternalError, Message: err.Error()}}.encode()
	}
	c.out.Put(line)
}

// encode encodes the members that belong to this kind of message. A null result
// is included, which omitempty cannot express. It is not a MarshalJSON method,
// because json.Marshal would scan its output again.
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
