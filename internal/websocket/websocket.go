// Package websocket carries text messages over WebSocket connections. It is the
// only package that imports the WebSocket library.
package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// ErrTooLarge is returned by Read for a message over the limit.
var ErrTooLarge = errors.New("the message is too large")

// Conn is an open connection. Read must not be called concurrently; the other
// methods are safe for concurrent use.
type Conn struct {
	conn *websocket.Conn
	most int64
	// Reserve, if set, is called before a message of more than 1 MiB is read to
	// its end. Set it before the first Read.
	Reserve func(bytes int64) (release func(), err error)
}

// IsUpgrade reports whether a request asks for a WebSocket connection.
func IsUpgrade(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// Accept answers an upgrade request. Messages of more than most bytes are
// refused. The caller has checked the request's origin. If Accept fails, it has
// written the response.
func Accept(w http.ResponseWriter, r *http.Request, most int64) (*Conn, error) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return nil, err
	}
	return newConn(conn, most), nil
}

// RefusedError is the answer of a server that refuses a connection.
type RefusedError struct {
	Status int
	Body   string // its beginning
}

// Error contains the status and the beginning of the body.
func (e *RefusedError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the server answered %d %s: %s", e.Status, http.StatusText(e.Status), e.Body))
}

// Dial opens a connection to a URL with the scheme http, https, ws or wss. It
// returns a RefusedError if the server answers with another status than 101.
func Dial(ctx context.Context, client *http.Client, url string, header http.Header, most int64) (*Conn, error) {
	conn, res, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: client, HTTPHeader: header}) //nolint:bodyclose // the library has replaced the body with what it read
	if err != nil {
		if res != nil && res.StatusCode != http.StatusSwitchingProtocols {
			refused := &RefusedError{Status: res.StatusCode}
			if res.Body != nil {
				text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
				refused.Body = string(text)
			}
			return nil, refused
		}
		return nil, err
	}
	return newConn(conn, most), nil
}

func newConn(conn *websocket.Conn, most int64) *Conn {
	conn.SetReadLimit(-1) // Read has the limit
	return &Conn{conn: conn, most: most}
}

// Sizes of reads: a small message is read into memory without a reservation.
const smallMessage = 1 << 20

// Read returns the next text message. It ignores binary messages. The caller
// calls release when it has processed the message.
func (c *Conn) Read(ctx context.Context) (message []byte, release func(), err error) {
	for {
		kind, r, err := c.conn.Reader(ctx)
		if err != nil {
			return nil, nil, err
		}
		if kind != websocket.MessageText {
			if n, err := io.Copy(io.Discard, io.LimitReader(r, c.most+1)); err != nil || n > c.most {
				return nil, nil, errors.Join(err, ErrTooLarge)
			}
			continue
		}
		return c.readText(r)
	}
}

func (c *Conn) readText(r io.Reader) ([]byte, func(), error) {
	release := func() {}
	message, err := io.ReadAll(io.LimitReader(r, smallMessage))
	if err != nil || len(message) < smallMessage {
		return message, release, err
	}
	if c.Reserve != nil {
		if release, err = c.Reserve(c.most); err != nil {
			return nil, nil, err
		}
	}
	rest, err := io.ReadAll(io.LimitReader(r, c.most+1-smallMessage))
	message = append(message, rest...)
	switch {
	case err != nil:
		release()
		return nil, nil, err
	case int64(len(message)) > c.most:
		release()
		return nil, nil, ErrTooLarge
	}
	return message, release, nil
}

// Write writes a text message.
func (c *Conn) Write(ctx context.Context, message []byte) error {
	return c.conn.Write(ctx, websocket.MessageText, message)
}

// Ping sends a ping and waits for the pong. It needs a concurrent Read.
func (c *Conn) Ping(ctx context.Context) error { return c.conn.Ping(ctx) }

// Reasons to close a connection.
const (
	Normal    = int(websocket.StatusNormalClosure)
	GoingAway = int(websocket.StatusGoingAway)
	Refused   = int(websocket.StatusPolicyViolation)
	TooLarge  = int(websocket.StatusMessageTooBig)
	Overload  = int(websocket.StatusTryAgainLater)
)

// CloseStatus returns the reason with which the other side closed the
// connection, or -1 if it did not.
func CloseStatus(err error) int { return int(websocket.CloseStatus(err)) }

// closeTime limits a closing handshake.
const closeTime = time.Second

// Close sends the reason, waits up to a second for the other side, and closes
// the connection.
func (c *Conn) Close(status int, reason string) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = c.conn.Close(websocket.StatusCode(status), reason) // the other side may be gone
	}()
	timer := time.NewTimer(closeTime)
	defer timer.Stop()
	select {
	case <-closed:
	case <-timer.C:
		_ = c.conn.CloseNow()
		<-closed
	}
}

// Cut closes the connection without a handshake.
func (c *Conn) Cut() { _ = c.conn.CloseNow() }
