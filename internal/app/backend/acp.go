package backend

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/bellcord/bellcord/client"
	"github.com/bellcord/bellcord/internal/acpbridge"
	"github.com/bellcord/bellcord/internal/websocket"
)

// acpDialTime is the maximum time to open a connection for ACP.
const acpDialTime = 10 * time.Second

// DialACP returns a function that opens connections for the Agent Client
// Protocol to the server in the Config. The address may end in /acp and may
// have the scheme ws or wss.
func DialACP(c Config) (func(context.Context) (*websocket.Conn, error), error) {
	c.Server = strings.TrimSuffix(strings.TrimRight(c.Server, "/"), "/acp")
	for from, to := range map[string]string{"ws://": "http://", "wss://": "https://"} {
		if rest, is := strings.CutPrefix(c.Server, from); is {
			c.Server = to + rest
		}
	}
	near, err := client.New(c.Server, "") // checks the address
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: acpDialTime}
	url := c.Server + "/acp"
	token, err := c.token(near.Near())
	if path, is := strings.CutPrefix(c.Server, "unix:"); is {
		token, err = c.socketToken(path)
		url = "http://localhost/acp" // every server accepts this host name
		transport.Proxy = nil
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}
	}
	if err != nil {
		return nil, err
	}
	if _, err := client.New(c.Server, token); err != nil { // checks that the token is not sent in plain text
		return nil, err
	}
	header := http.Header{"User-Agent": {c.program()}}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	hc := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(ctx context.Context) (*websocket.Conn, error) {
		bounded, done := context.WithTimeout(ctx, acpDialTime)
		defer done()
		return websocket.Dial(bounded, hc, url, header, acpbridge.MostMessage)
	}, nil
}

// RefusedACP reports whether a server refuses the connection for good: the
// token is invalid, or the server does not speak ACP.
func RefusedACP(err error) bool {
	var refused *websocket.RefusedError
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusMisdirectedRequest:
		return true
	}
	return false
}
