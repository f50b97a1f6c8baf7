// Package client is a client for the HTTP API of a Bellcord server: it creates
// sessions, sends prompts, stops turns and reads events.
//
// Failed connections are retried where that is safe. A stop without an answer
// is sent again. A prompt has an id that the client chooses, so that it can be
// repeated. A stream of events continues after the last event that was
// received, without gaps or repetitions.
//
// The token is only sent to the named server: redirects are not followed, and
// a token is not sent over plain HTTP to another machine.
package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Client is a client of one server, with one token. Its methods are safe for
// concurrent use, except As.
type Client struct {
	server  string // as given to New
	base    *url.URL
	token   string
	program string // User-Agent; "" for the default
	near    bool
	http    *http.Client
}

// dialing is the maximum time to connect to a server.
const dialing = 10 * time.Second

// New returns a client of the server at http://host:port, https://host or
// unix:/path/to.sock. It does not connect. It returns an error if the token
// would be sent over a network without encryption. On a socket, no token is
// required to read and to stop.
func New(server, token string) (*Client, error) {
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the token contains characters that are not allowed in a token; check that it comes from the right file")
	}
	if path, ok := strings.CutPrefix(server, "unix:"); ok {
		return onSocket(path, token)
	}
	base, err := address(server)
	if err != nil {
		return nil, err
	}
	c := &Client{server: server, base: base, token: token, near: loopback(base.Hostname())}
	if token != "" && base.Scheme == "http" && !c.near {
		return nil, fmt.Errorf("%s: refusing to send a token over plain http to another machine, where others could read it; use https", server)
	}
	c.http = caller(&net.Dialer{Timeout: dialing}, http.ProxyFromEnvironment)
	return c, nil
}

func onSocket(path, token string) (*Client, error) {
	if path == "" {
		return nil, errors.New("unix: must be followed by the path of a socket")
	}
	// Every server accepts this host name.
	c := &Client{server: "unix:" + path, base: &url.URL{Scheme: "http", Host: "localhost"}, token: token, near: true}
	c.http = caller(socket(path), nil)
	return c, nil
}

// As sets the name and version of the program, such as bellcord-chat/1.0, and
// returns c. Receipts of stops show it; no permission depends on it. Call it
// before the first request.
func (c *Client) As(program string) *Client {
	c.program = program
	return c
}

// Near reports whether the server is on this machine.
func (c *Client) Near() bool { return c.near }

// address parses and checks the address of a server.
func address(server string) (*url.URL, error) {
	base, err := url.Parse(server)
	switch {
	case err != nil: // err already contains the address
		return nil, err
	case base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return nil, fmt.Errorf("%q is not a server address: use http://host:port, https://host or unix:/path", server)
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("the server address must not contain a user name, password, query or fragment; pass the token in BELLCORD_TOKEN or a file")
	}
	base.Path = strings.TrimRight(base.Path, "/")
	return base, nil
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

type dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// socket dials one path, regardless of the address.
type socket string

func (s socket) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialing}
	return d.DialContext(ctx, "unix", string(s))
}

func caller(d dialer, proxy func(*http.Request) (*url.URL, error)) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext:         d.DialContext,
			Proxy:               proxy,
			TLSHandshakeTimeout: dialing,
			IdleConnTimeout:     time.Minute,
			ForceAttemptHTTP2:   true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
