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

// Config contains the settings of a node's connection to the others.
type Config struct {
	URLs   string // comma-separated
	Prefix string // of the subjects; "" for "bellcord"
	Creds  string // file with NATS credentials
	CA     string // file with the CA certificates for the servers
	Cert   string // file with the client certificate, if the servers require one
	Key    string // file with its key
	Name   string // name of the node in the servers' lists of connections

	// SigningKey signs the messages of the nodes. It is the same at all nodes
	// and secret. It is required.
	SigningKey []byte
	// Now is the clock for the times in messages; nil for time.Now.
	Now func() time.Time

	Directory Directory
	// Undo undoes or redoes changes to files that this node keeps.
	Undo func(context.Context, bellcord.UndoRequest) (bellcord.Undone, error)
	// Texts returns the changes of a turn to text files that this node keeps: all,
	// or those of one path.
	Texts   func(ctx context.Context, turn bellcord.TurnID, path string) ([]bellcord.Change, error)
	Deleted func(bellcord.SessionID) // ends everything that this node has of a session after another node deleted it
	Logger  *slog.Logger

	Options []nats.Option                                                // for tests
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error) // for tests; nil for the machine's resolver
}

func (c Config) withDefaults() Config {
	if c.Prefix == "" {
		c.Prefix = "bellcord"
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Undo == nil {
		c.Undo = func(context.Context, bellcord.UndoRequest) (bellcord.Undone, error) {
			return bellcord.Undone{}, bellcord.ErrUndoOff
		}
	}
	if c.Texts == nil {
		c.Texts = func(context.Context, bellcord.TurnID, string) ([]bellcord.Change, error) {
			return nil, bellcord.ErrUndoOff
		}
	}
	if c.Deleted == nil {
		c.Deleted = func(bellcord.SessionID) {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// Directory identifies this node and the home nodes of sessions.
type Directory interface {
	// NodeID returns this node's id in the store.
	NodeID() string
	// Home returns the id of a session's home node, the node of its newest
	// turn, or "" without one.
	Home(ctx context.Context, session bellcord.SessionID) (string, error)
}

// A server that hangs is detected after two pings.
const (
	pingEvery     = 400 * time.Millisecond
	reconnectWait = 200 * time.Millisecond
	dialTimeout   = 2 * time.Second
	writeTimeout  = time.Second
)

// dial opens a connection that reconnects forever. Messages that are sent
// while it is not connected are dropped: they would be late, and the store
// contains their content.
func (c Config) dial(purpose string, connected func()) (*nats.Conn, error) {
	var logged atomic.Bool   // a failure to connect has been logged
	var demanded atomic.Bool // the server requested a client certificate
	var admitted admission
	onConnect := func(conn *nats.Conn) {
		logged.Store(false)
		if err := admitted.check(c, conn, demanded.Load()); err != nil {
			c.Logger.Error("NATS connection closed; stops and viewers go through the store until this node is restarted", "connection", purpose, "err", err)
			return
		}
		connected()
	}
	opts := []nats.Option{
		nats.Name(strings.TrimSpace(c.Name + " " + purpose)), nats.NoEcho(),
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2),
		nats.ReconnectBufSize(-1), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.RetryOnFailedConnect(true),
		nats.IgnoreAuthErrorAbort(), // the server's configuration may be corrected later
		nats.Timeout(dialTimeout), nats.FlusherTimeout(writeTimeout),
		nats.ConnectHandler(onConnect),
		nats.ReconnectHandler(onConnect),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				c.Logger.Warn("NATS connection lost; stops and viewers go through the store until it is back", "connection", purpose, "err", err)
			}
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			if !logged.Swap(true) {
				c.Logger.Warn("cannot reach NATS, retrying", "connection", purpose, "err", err)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			c.Logger.Warn("NATS reported an error", "connection", purpose, "err", err)
		}),
	}
	if !c.alwaysTLS() {
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
	if err := admitted.check(c, conn, demanded.Load()); err != nil {
		return nil, err
	}
	return conn, nil
}

// tls returns nil if nothing is configured; then a tls:// URL is checked with
// the machine's certificates. demanded is set when a server requests a client
// certificate.
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
