package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// resolveTimeout is the maximum time to resolve the name of a NATS server. A
// name that cannot be resolved counts as another host.
const resolveTimeout = 2 * time.Second

// ErrExposed means that others could use the nodes' NATS server.
var ErrExposed = errors.New("nats_url")

// advice is the part of an error text that describes how to protect a NATS
// server.
const advice = "use tls://USER:PASSWORD@HOST:PORT, or tls://HOST:PORT with nats_credentials_file or with nats_cert_file and nats_key_file in [cluster], and a server with TLS and users, as in deploy/nats.conf"

// CheckServers returns an error if a configured NATS server is on another host
// and would be used without TLS or without credentials. A server is on this
// host if every address of its name is a loopback address.
func (c Config) CheckServers(ctx context.Context) error {
	for text := range strings.SplitSeq(c.URLs, ",") {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if !strings.Contains(text, "://") {
			text = "nats://" + text
		}
		server, err := url.Parse(text)
		if err != nil {
			return errors.New("nats_url: invalid URL; write it as tls://USER:PASSWORD@HOST:PORT") // err contains the password
		}
		if c.isHere(ctx, server.Hostname()) {
			continue
		}
		if missing := c.missing(server); missing != "" {
			return fmt.Errorf("%w: %s is on another host and would be used without %s, so others could read and send the nodes' messages: %s", ErrExposed, server.Host, missing, advice)
		}
	}
	return nil
}

// missing returns what a connection to a server on another host lacks, or "".
func (c Config) missing(server *url.URL) string {
	var lacks []string
	if !c.hasTLS(server.Scheme) {
		lacks = append(lacks, "TLS")
	}
	if server.User.String() == "" && c.Creds == "" && c.Cert == "" {
		lacks = append(lacks, "credentials")
	}
	return strings.Join(lacks, " and ")
}

// hasTLS reports whether a URL with the given scheme is only connected to over
// TLS.
func (c Config) hasTLS(scheme string) bool {
	return scheme == "tls" || scheme == "wss" || c.CA != "" || c.Cert != ""
}

// alwaysTLS reports whether TLS is used for every server: one URL that requires
// it is enough.
func (c Config) alwaysTLS() bool {
	return c.hasTLS("") || strings.Contains(c.URLs, "tls://") || strings.Contains(c.URLs, "wss://")
}

// isHere reports whether every address of a host is a loopback address.
func (c Config) isHere(ctx context.Context, host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	ctx, done := context.WithTimeout(ctx, resolveTimeout)
	defer done()
	resolve := c.Resolve
	if resolve == nil {
		resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	all, err := resolve(ctx, host)
	for _, ip := range all {
		if !ip.Unmap().IsLoopback() {
			return false
		}
	}
	return err == nil && len(all) > 0
}

// admission is the result of the checks of one connection. The connection is
// checked by its opener and by the handler of NATS, at the same time. The first
// failed check closes the connection, and every later one returns its error: a
// closed connection has no address that could be checked.
type admission struct {
	mu  sync.Mutex
	err error
}

// check returns the error of checkConnected. It closes a connection that fails.
func (a *admission) check(c Config, conn *nats.Conn, demanded bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = c.checkConnected(conn, demanded)
	}
	if a.err != nil {
		conn.Close()
	}
	return a.err
}

// checkConnected checks an open connection: its remote address, and whether
// the server requires authentication. demanded is true if the server requested
// a client certificate.
func (c Config) checkConnected(conn *nats.Conn, demanded bool) error {
	at, err := netip.ParseAddrPort(conn.ConnectedAddr())
	if err != nil || at.Addr().Unmap().IsLoopback() { // without an address, the connection is inside this process or closed
		return nil
	}
	if !conn.TLSRequired() && !c.alwaysTLS() { // TLSConnectionState of nats.go 1.55 races with Close
		return fmt.Errorf("%w: %s is on another host and the connection does not use TLS: %s", ErrExposed, at, advice)
	}
	if !conn.AuthRequired() && !demanded {
		return fmt.Errorf("%w: %s is on another host and does not require authentication: configure users on the server, as in deploy/nats.conf", ErrExposed, at)
	}
	return nil
}

// Probe connects to NATS once and returns an error if that fails or the server
// is exposed.
func (c Config) Probe(ctx context.Context) error {
	c = c.withDefaults()
	if err := c.CheckServers(ctx); err != nil {
		return err
	}
	c.Options = append(c.Options, nats.RetryOnFailedConnect(false), nats.NoReconnect())
	conn, err := c.dial("probe", func() {})
	if err != nil {
		return err
	}
	conn.Close()
	return nil
}
