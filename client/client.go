// Package client speaks to a Bellcord server over HTTP: it makes sessions, sends
// prompts, stops turns and reads what happens.
//
// What breaks between here and the server is repaired where that is safe. A stop
// that had no answer is sent again, a prompt carries an id of the client's own
// and can be repeated, and a stream of events goes on behind the last one that
// came, without a gap and without a repetition.
//
// The token goes to the named server and nowhere else: redirects are not
// followed, and plain HTTP is for the same machine only.
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

// Client is one server, as one caller. Its methods may be called at the same
// time.
type Client struct {
	server  string // as it was named
	base    *url.URL
	token   string
	program string // as it calls itself to the server; "" for nothing
	near    bool
	http    *http.Client
}

// dialing bounds how long a server may take to be reached.
const dialing = 10 * time.Second

// New returns a client of the server at http://host:port, https://host or
// unix:/path/to.sock. It connects to nothing yet. A token is refused where it
// would cross a network in the clear. A socket needs none to read and to stop.
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
	// The name is one that every server knows as its own.
	c := &Client{server: "unix:" + path, base: &url.URL{Scheme: "http", Host: "localhost"}, token: token, near: true}
	c.http = caller(socket(path), nil)
	return c, nil
}

// As has the client call itself by the name of its program, as in
// bellcord-chat/1.0. A stop's receipt says so to people; no right hangs on it. It
// is for before the first request.
func (c *Client) As(program string) *Client {
	c.program = program
	return c
}

// Near reports whether the server is on this machine.
func (c *Client) Near() bool { return c.near }

// address checks what a person named as the server.
func address(server string) (*url.URL, error) {
	base, err := url.Parse(server)
	switch {
	case err != nil: // its words repeat the address
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

// socket dials one path, whatever it is asked for.
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
