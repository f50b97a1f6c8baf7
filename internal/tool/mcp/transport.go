package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// headerTransport is the http.RoundTripper of the SDK's requests: it adds the
// configured headers, and reads a response that is not a stream itself. The SDK
// would read it without a limit, and fail the whole session if a stop
// interrupts it.
type headerTransport struct {
	*http.Transport
	to      *url.URL
	headers map[string]string
	version atomic.Pointer[string]
}

// goodbye limits the request that ends a session.
const goodbye = time.Second

func newHeaderTransport(to *url.URL, headers map[string]string) *headerTransport {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	if usual, ok := http.DefaultTransport.(*http.Transport); ok {
		transport = usual.Clone() // a separate transport, so that its connections end with the link
	}
	return &headerTransport{Transport: transport, to: to, headers: headers}
}

// sameHost refuses redirects to other hosts, because they would receive the
// configured headers, which are often secrets.
func (c *headerTransport) sameHost(req *http.Request, via []*http.Request) error {
	if req.URL.Host != c.to.Host || req.URL.Scheme != c.to.Scheme {
		return fmt.Errorf("refused a redirect to %s", req.URL.Host)
	}
	if len(via) >= 5 {
		return errors.New("too many redirects")
	}
	return nil
}

// RoundTrip implements http.RoundTripper.
func (c *headerTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, e := req.Context(), pendingCallOf(req.Context())
	if req.Method == http.MethodDelete {
		limited, done := context.WithTimeout(ctx, goodbye)
		defer done() // the response is read below
		ctx = limited
	}
	req = req.Clone(ctx)
	for name, value := range c.headers {
		req.Header.Set(name, value)
	}
	if v := c.version.Load(); v != nil && req.Header.Get("Mcp-Protocol-Version") == "" {
		req.Header.Set("Mcp-Protocol-Version", *v)
	}
	resp, err := c.Transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if e != nil && resp.StatusCode >= 400 && resp.StatusCode < 500 {
		e.answered.Store(true) // refused
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "text/event-stream" && resp.StatusCode < 300 {
		return resp, nil
	}
	resp, err = whole(resp)
	if err == nil && ctx.Value(courtesyKey{}) != nil {
		resp.StatusCode = http.StatusAccepted
	}
	return resp, err
}

// courtesyKey marks a cancellation. A server may refuse it, and servers of the
// 2026 protocol do (there, closing the request cancels the call), but the SDK
// would treat a refusal as the end of the session.
type courtesyKey struct{}

// whole reads a response to its end. A response longer than longestLine is an
// error.
func whole(resp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, longestLine+1))
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	if len(body) > longestLine {
		return nil, fmt.Errorf("the response is longer than %d bytes", longestLine)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}
