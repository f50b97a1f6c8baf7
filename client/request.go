package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// request is one request to the server.
type request struct {
	method string
	path   string // escaped, below the server's address
	query  url.Values
	body   any
	key    string        // Idempotency-Key
	wait   time.Duration // how long the server may wait before it answers
	once   bool          // must not be sent again
	done   error         // of a second attempt if the first one was carried out
}

const (
	patience   = 30 * time.Second // for an answer, in addition to request.wait
	mostAnswer = 64 << 20         // maximum size of an answer in bytes
)

// send sends a request and decodes the answer into the given value, unless it
// is nil. If the connection breaks before the complete answer has arrived, the
// request is sent once more, unless once is set. If the first attempt may have
// reached the server and the second is refused with the error done, the first
// one was carried out: send returns nil.
func (c *Client) send(ctx context.Context, r request, into any) error {
	ctx, done := context.WithTimeout(ctx, r.wait+patience)
	defer done()
	err := c.try(ctx, r, into)
	var refused *Problem
	if err == nil || errors.As(err, &refused) || ctx.Err() != nil || r.once {
		return c.unreachable(err)
	}
	sent := !isDial(err)
	err = c.try(ctx, r, into)
	if sent && r.done != nil && errors.Is(err, r.done) {
		return nil
	}
	return c.unreachable(err)
}

// isDial reports whether no connection was established: nothing was sent.
func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// ErrUnreachable means that no connection to the server could be established.
var ErrUnreachable = errors.New("no server answers")

// unreachable adds ErrUnreachable and the server's address to an error of
// dialing.
func (c *Client) unreachable(err error) error {
	var op *net.OpError
	if isDial(err) && errors.As(err, &op) {
		return fmt.Errorf("%w at %s: %w", ErrUnreachable, c.server, op.Err)
	}
	return err
}

func (c *Client) try(ctx context.Context, r request, into any) error {
	res, err := c.sendRequest(ctx, r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode/100 != 2 {
		return refusal(res)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("read the server's response: %w", err)
	}
	return nil
}

func (c *Client) sendRequest(ctx context.Context, r request) (*http.Response, error) {
	var body io.Reader
	if r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, c.url(r), body)
	if err != nil {
		return nil, err
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		req.Header.Set("Idempotency-Key", r.key)
	}
	req.Header.Set("Accept", "application/json, application/problem+json")
	return c.do(req)
}

func (c *Client) do(req *http.Request) (*http.Response, error) {
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.program != "" {
		req.Header.Set("User-Agent", c.program)
	}
	return c.http.Do(req)
}

func (c *Client) url(r request) string {
	to := c.base.String() + r.path
	if len(r.query) > 0 {
		to += "?" + r.query.Encode()
	}
	return to
}
