package client

import (
	"io"
	"net/http"
	"time"
)

// Through sets the transport of the client's requests.
func (c *Client) Through(t http.RoundTripper) *Client {
	c.http.Transport = t
	return c
}

// Messages exports messages for tests.
type Messages struct{ *messages }

// NewMessages exports newMessages.
func NewMessages(in io.Reader, most int) Messages { return Messages{newMessages(in, most)} }

// MostLine exports mostLine.
const MostLine = mostLine

// Next exports next.
func (m Messages) Next() (id, data string, err error) {
	got, err := m.nextMessage()
	return got.id, string(got.data), err
}

// Retry returns the pause that the server requested.
func (m Messages) Retry() time.Duration { return m.retry }

// ErrTooLong exports errTooLong.
var ErrTooLong = errTooLong
