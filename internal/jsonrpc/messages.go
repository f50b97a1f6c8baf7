package jsonrpc

import (
	"context"
	"encoding/json"
)

// Output takes the messages that a Conn sends.
type Output interface {
	// Put takes a message, in the order of the calls. It must not block, and
	// owns the bytes.
	Put(message []byte)
	// WaitWritable waits while much output is unwritten, until it is written,
	// the output has failed, or ctx is done.
	WaitWritable(ctx context.Context) error
}

// NewMessages returns a connection on a transport that has messages instead of
// a byte stream, such as a WebSocket. The transport calls Receive for each
// incoming message, one after the other, and Close at the end. Serve must not
// be called.
func NewMessages(out Output) *Conn {
	return &Conn{out: out, pending: map[string]chan Message{}}
}

// Receive processes one incoming message: it calls handle for a request or a
// notification, and passes a response to its request. A message that is neither
// is answered with an error.
func (c *Conn) Receive(text []byte, handle func(Message)) {
	var m Message
	if err := json.Unmarshal(text, &m); err != nil {
		c.ReplyError(nil, notUnderstood(text, err))
		return
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

// Close fails all pending requests, and every later one.
func (c *Conn) Close() { c.abandonPending() }
