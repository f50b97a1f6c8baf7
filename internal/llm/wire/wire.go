// Package wire is what all model providers need of HTTP: connections that a stop
// can close, errors that say whether they may pass, streams that are known to be
// cut off when they are.
package wire

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Next is the rest of the way to the server, as the providers' SDKs call it.
type Next = func(*http.Request) (*http.Response, error)

// Middleware is what an SDK lets us do on the way there and back.
type Middleware = func(*http.Request, Next) (*http.Response, error)

// Transport speaks HTTP/1 only: there a request has a connection to itself, so
// that a stop can close it, where HTTP/2 would leave it to the server to heed a
// message about one of many streams. The time until headers come is not limited:
// a model may think for minutes before its first word.
func Transport() *http.Transport {
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 32, // all requests go to one host
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true, // words would wait for a compressor's block to fill
		Protocols:           new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	return t
}

// Through is a client that sends its requests through the middleware, the first
// one outermost: for SDKs that have none of their own.
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

// CheckBaseURL says what is wrong with the address of a model server.
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
