package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
)

// Config is how a node reaches the others.
type Config struct {
	URLs   string // with commas between them
	Prefix string // of the subjects; "bellcord" where empty
	Creds  string // file with NATS credentials
	CA     string // file with the certificates that the servers' must be signed by
	Cert   string // file with our own, where the servers want one
	Key    string // file with its key
	Name   string // of the node, as the servers list it

	// SigningKey signs the messages of the nodes: the same at all of them, and known
	// to nobody else. It is required.
	SigningKey []byte
	// Now is the clock by which messages are signed; time.Now where it is nil.
	Now func() time.Time

	Directory Directory
	Deleted   func(bellcord.SessionID) // ends what this node has of a session that another one deleted
	Logger    *slog.Logger

	Options []nats.Option                                                // for tests
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error) // for tests; the machine's where it is nil
}

func (c Config) withDefaults() Config {
	if c.Prefix == "" {
		c.Prefix = "bellcord"
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Deleted == nil {
		c.Deleted = func(bellcord.SessionID) {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// Directory says who is who.
type Directory interface {
	// NodeID is this node's, as the store calls it.
	NodeID() string
	// Home is the node that a session is at home with; "" where there is none.
	Home(ctx context.Context, session bellcord.SessionID) (string, error)
}

// A server that hangs is noticed after two pings.
const (
	pingEvery     = 400 * time.Millisecond
	reconnectWait = 200 * time.Millisecond
	dialTimeout   = 2 * time.Second
	writeTimeout  = time.Second
)

// dial opens a connection that comes back by itself, for ever. What is sent
// while there is none is not kept: it would be late, and the store has it.
func (c Config) dial(purpose string, connected func()) (*nats.Conn, error) {
	var told atomic.Bool     // that it cannot be reached
	var demanded atomic.Bool // a certificate of ours
	came := func(conn *nats.Conn) {
		told.Store(false)
		if err := c.checkConnected(conn, demanded.Load()); err != nil {
			c.Logger.Error("NATS connection closed; stops and viewers go through the store until this node is restarted", "connection", purpose, "err", err)
			conn.Close()
			return
		}
		connected()
	}
	opts := []nats.Option{
		nats.Name(strings.TrimSpace(c.Name + " " + purpose)), nats.NoEcho(),
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2),
		nats.ReconnectBufSize(-1), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.RetryOnFailedConnect(true),
		nats.IgnoreAuthErrorAbort(), // whoever refuses us may be set right
		nats.Timeout(dialTimeout), nats.FlusherTimeout(writeTimeout),
		nats.ConnectHandler(came),
		nats.ReconnectHandler(came),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				c.Logger.Warn("NATS connection lost; stops and viewers go through the store until it is back", "connection", purpose, "err", err)
			}
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			if !told.Swap(true) {
				c.Logger.Warn("cannot reach NATS, retrying", "connection", purpose, "err", err)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			c.Logger.Warn("NATS reported an error", "connection", purpose, "err", err)
		}),
	}
	if !strings.Contains(c.URLs, "tls://") && !c.hasTLS("") {
		opts = append(opts, nats.IgnoreDiscoveredServers()) // they may be on other hosts
	}
	if c.Creds != "" {
		opts = append(opts, nats.UserCredentials(c.Creds))
	}
	secure, err := c.tls(&demanded)
	if err != nil {
		return nil, err
	}
	if secure != nil {
		opts = append(opts, nats.Secure(secure))
	}
	conn, err := nats.Connect(c.URLs, append(opts, c.Options...)...)
	if err != nil {
		return nil, err
	}
	if err := c.checkConnected(conn, demanded.Load()); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// tls is nil where nothing is said about it; a URL that begins with tls:// then
// goes by the machine's own certificates. Demanded is set when a server asks for
// ours.
func (c Config) tls(demanded *atomic.Bool) (*tls.Config, error) {
	if c.CA == "" && c.Cert == "" && c.Key == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CA != "" {
		text, err := os.ReadFile(c.CA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s contains no certificate", c.CA)
		}
	}
	if (c.Cert == "") != (c.Key == "") {
		return nil, errors.New("the NATS certificate and its key must be set together")
	}
	if c.Cert != "" {
		pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
		if err != nil {
			return nil, err
		}
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			demanded.Store(true)
			return &pair, nil
		}
	}
	return config, nil
}
