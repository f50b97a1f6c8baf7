package client

import (
	"io"
	"net/http"
	"time"
)

// Through has the client's requests carried by the given transport.
func (c *Client) Through(t http.RoundTripper) *Client {
	c.http.Transport = t
	return c
}

// Messages is messages, for the tests.
type Messages struct{ *messages }

// NewMessages makes one.
func NewMessages(in io.Reader, most int) Messages { return Messages{newMessages(in, most)} }

// MostLine is mostLine.
const MostLine = mostLine

// Next is next.
func (m Messages) Next() (id, data string, err error) {
	got, err := m.next()
	return got.id, string(got.data), err
}

// Retry is what the server asked for.
func (m Messages) Retry() time.Duration { return m.retry }

// ErrTooLong is errTooLong.
var ErrTooLong = errTooLong
