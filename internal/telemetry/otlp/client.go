// Package otlp sends traces to a collector over HTTP, as OpenTelemetry's variables say.
//
// OpenTelemetry's own client does the same, but it also links gRPC, which it never
// calls over HTTP. That alone makes the program 12 MB larger: gRPC executes templates
// from html/template, so the linker keeps every exported method of every type.
package otlp

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

const (
	retryFor  = time.Minute      // from the first request to the last
	firstWait = 5 * time.Second  // before the second request
	mostWait  = 30 * time.Second // between two requests, unless the collector asks for more
	mostReply = 64 << 10         // bytes of a reply
)

// Client implements otlptrace.Client. Use New to create one.
type Client struct {
	settings settings
	http     *http.Client
	open     context.Context //nolint:containedctx // from New to Stop
	stop     context.CancelFunc
}

// New returns a client with the settings in the environment, which env reads.
func New(env func(string) string) (*Client, error) {
	s, err := read(env)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = s.tls
	c := &Client{settings: s, http: &http.Client{Transport: transport, Timeout: s.timeout}}
	c.open, c.stop = context.WithCancel(context.Background())
	return c, nil
}

// Start does nothing: each request connects by itself.
func (c *Client) Start(context.Context) error { return nil }

// Stop ends the requests that are running.
func (c *Client) Stop(context.Context) error {
	c.stop()
	c.http.CloseIdleConnections()
	return nil
}

// UploadTraces sends spans. It repeats a request that the collector could not take, for
// at most a minute.
func (c *Client) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// TracesData has the wire format of an ExportTraceServiceRequest, whose package links gRPC.
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return fmt.Errorf("encode traces: %w", err)
	}
	if c.settings.gzip {
		if body, err = zipped(body); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, retryFor)
	defer cancel()
	defer context.AfterFunc(c.open, cancel)()
	for wait := firstWait; ; wait = min(wait*3/2, mostWait) {
		err := c.send(ctx, body)
		var busy *busyError
		if !errors.As(err, &busy) {
			return err
		}
		again := time.NewTimer(max(wait, busy.after))
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return err
		}
	}
}

// busyError is the answer of a collector that may take the same request later.
type busyError struct {
	after time.Duration // how long the collector asks to wait
	err   error
}

func (e *busyError) Error() string { return e.err.Error() }

func (e *busyError) Unwrap() error { return e.err }

// send sends one request.
func (c *Client) send(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.settings.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = c.settings.header.Clone()
	req.Header.Set("Content-Type", "application/x-protobuf")
	if c.settings.gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) && failed.Timeout() && ctx.Err() == nil {
			return &busyError{err: err}
		}
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	reply, err := io.ReadAll(io.LimitReader(resp.Body, mostReply))
	switch {
	case resp.StatusCode/100 == 2 && err == nil && resp.Header.Get("Content-Type") == "application/x-protobuf":
		return rejected(reply)
	case resp.StatusCode/100 == 2:
		return err
	}
	err = fmt.Errorf("send traces to %s: %s: %s", req.URL.Redacted(), resp.Status, cmp.Or(string(bytes.TrimSpace(reply)), "no reason"))
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &busyError{after: retryAfter(resp.Header.Get("Retry-After")), err: err}
	}
	return err
}

// retryAfter returns how long the header asks to wait.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(max(seconds, 0)) * time.Second
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return max(time.Until(at), 0)
}

func zipped(body []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
