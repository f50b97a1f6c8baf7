// Package wire contains the HTTP code shared by all model providers:
// connections that a stop can close, errors that are retryable or not, and the
// detection of streams that were cut off.
package wire

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Next sends a request to the server, through the remaining middleware. The
// providers' SDKs use this type.
type Next = func(*http.Request) (*http.Response, error)

// Middleware wraps the sending of a request. The providers' SDKs use this type.
type Middleware = func(*http.Request, Next) (*http.Response, error)

// Transport returns a transport that uses only HTTP/1. There, each request has
// a connection to itself, which a stop can close; with HTTP/2 the server would
// have to react to the reset of one of many streams. The time until the
// response headers is not limited, because a model may think for minutes before
// its first output.
func Transport() *http.Transport {
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 32, // all requests go to one host
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true, // compression would delay output until a block is full
		Protocols:           new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	return t
}

// Through returns a copy of client that sends its requests through the
// middleware, the first one outermost. It is for SDKs without support for
// middleware.
func Through(client *http.Client, through ...Middleware) *http.Client {
	send := client.Transport
	if send == nil {
		send = http.DefaultTransport
	}
	next := send.RoundTrip
	for i := len(through) - 1; i >= 0; i-- {
		inner, by := next, through[i]
		next = func(r *http.Request) (*http.Response, error) { return by(r, inner) }
	}
	out := *client
	out.Transport = roundTripper{next, client.CloseIdleConnections}
	return &out
}

type roundTripper struct {
	send  Next
	close func()
}

func (r roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return r.send(req) }

func (r roundTripper) CloseIdleConnections() { r.close() }

// CheckBaseURL returns an error if base is not an absolute http or https URL.
func CheckBaseURL(base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return fmt.Errorf("base URL of the model server: %w", err)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Errorf("base URL of the model server: %q is not an http or https URL", base)
	}
	return nil
}
