package cluster_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/bellcord/bellcord/internal/cluster"
)

func TestCheckServers_AnotherHost_NeedsTLSAndCredentials(t *testing.T) {
	t.Parallel()
	names := map[string][]netip.Addr{
		"here":      {netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1")},
		"mixed":     {netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.0.0.1")},
		"elsewhere": {netip.MustParseAddr("10.0.0.1")},
	}
	for _, test := range []struct {
		name    string
		config  cluster.Config
		missing string // "" if the configuration is accepted
	}{
		{"nothing", cluster.Config{}, ""},
		{"an address of this host", cluster.Config{URLs: "nats://127.0.0.1:4222"}, ""},
		{"another one", cluster.Config{URLs: "127.8.8.8:4222, nats://[::1]:4222"}, ""},
		{"a mapped one", cluster.Config{URLs: "nats://[::ffff:127.0.0.1]:4222"}, ""},
		{"a name of this host", cluster.Config{URLs: "nats://here:4222"}, ""},
		{"an address", cluster.Config{URLs: "nats://10.0.0.1:4222"}, "TLS and credentials"},
		{"every address", cluster.Config{URLs: "nats://0.0.0.0:4222"}, "TLS and credentials"},
		{"without a scheme", cluster.Config{URLs: "elsewhere:4222"}, "TLS and credentials"},
		{"a name with an address here and one elsewhere", cluster.Config{URLs: "nats://mixed:4222"}, "TLS and credentials"},
		{"a name that nobody knows", cluster.Config{URLs: "nats://unknown:4222"}, "TLS and credentials"},
		{"the second one", cluster.Config{URLs: "nats://here:4222,nats://elsewhere:4222"}, "TLS and credentials"},
		{"with a password", cluster.Config{URLs: "nats://node:secret@elsewhere:4222"}, "TLS"},
		{"with TLS", cluster.Config{URLs: "tls://elsewhere:4222"}, "credentials"},
		{"with TLS and an empty user", cluster.Config{URLs: "tls://@elsewhere:4222"}, "credentials"},
		{"with TLS and a password", cluster.Config{URLs: "tls://node:secret@elsewhere:4222"}, ""},
		{"with TLS and a token", cluster.Config{URLs: "tls://token@elsewhere:4222"}, ""},
		{"with TLS by a CA", cluster.Config{URLs: "nats://node:secret@elsewhere:4222", CA: "ca.pem"}, ""},
		{"with TLS and a file", cluster.Config{URLs: "tls://elsewhere:4222", Creds: "node.creds"}, ""},
		{"with a certificate", cluster.Config{URLs: "nats://elsewhere:4222", Cert: "cert.pem", Key: "key.pem"}, ""},
	} {
		test.config.Resolve = func(_ context.Context, host string) ([]netip.Addr, error) {
			if names[host] == nil {
				return nil, errors.New("no such host")
			}
			return names[host], nil
		}
		err := test.config.CheckServers(t.Context())
		switch {
		case test.missing == "" && err != nil, test.missing != "" && err == nil:
			t.Errorf("%s: %v", test.name, err)
		case err != nil && (!strings.Contains(err.Error(), "without "+test.missing+",") || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// outward returns an address of this machine that is not a loopback address.
func outward(t *testing.T) net.IP {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if in, is := a.(*net.IPNet); is && !in.IP.IsLoopback() && in.IP.To4() != nil {
			return in.IP
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("this machine has no address but loopback ones, and CI must not skip this")
	}
	t.Skip("this machine has no address but loopback ones")
	return nil
}

// outside starts a NATS server with TLS on an outward address, and returns its
// URL with a user.
func (a *authority) outside(opts server.Options) string {
	a.t.Helper()
	ip := outward(a.t)
	pair, err := tls.LoadX509KeyPair(a.sign("outside", func(c *x509.Certificate) { c.IPAddresses = []net.IP{ip} }))
	if err != nil {
		a.t.Fatal(err)
	}
	text, err := os.ReadFile(a.file)
	if err != nil {
		a.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	opts.TLS, opts.TLSTimeout = true, patient.Seconds()
	opts.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, ClientCAs: pool}
	if opts.TLSVerify {
		opts.TLSConfig.ClientAuth = tls.RequireAndVerifyClientCert
	}
	s := serveAt(a.t, ip.String(), opts)
	return "tls://node:secret@" + s.Addr().String()
}

func TestDial_ServerOnAnotherHostWithoutAuthentication_IsRefused(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	cert, key := a.sign("node")
	users := []*server.User{{Username: "node", Password: "secret"}}
	for _, test := range []struct {
		name    string
		server  server.Options
		change  func(*cluster.Config)
		refused bool
	}{
		{"no users", server.Options{}, func(*cluster.Config) {}, true},
		{"no users, and a certificate that nobody asks for", server.Options{}, func(c *cluster.Config) { c.Cert, c.Key = cert, key }, true},
		{"users", server.Options{Users: users}, func(*cluster.Config) {}, false},
		{"certificates", server.Options{TLSVerify: true}, func(c *cluster.Config) { c.Cert, c.Key = cert, key }, false},
	} {
		c := cluster.Config{URLs: a.outside(test.server), CA: a.file, Directory: noHomes{}, SigningKey: bubbleKey}
		test.change(&c)
		bus, err := cluster.Dial(c)
		if err == nil {
			bus.Close()
		}
		for range 20 { // two checks of one connection race: each must win in some rounds
			if probed := c.Probe(t.Context()); errors.Is(probed, cluster.ErrExposed) != test.refused {
				t.Errorf("%s: the probe returned %v", test.name, probed)
			}
		}
		if errors.Is(err, cluster.ErrExposed) != test.refused || err != nil && !strings.Contains(err.Error(), "does not require authentication") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// The server is not reachable when the node starts, so the node runs without
// it.
func TestDial_UnprotectedServerThatStartsLater_IsNotUsed(t *testing.T) {
	t.Parallel()
	a, ip := newAuthority(t), outward(t)
	l, err := net.Listen("tcp", net.JoinHostPort(ip.String(), "0"))
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	var log journal
	bus, err := cluster.Dial(cluster.Config{
		URLs: "tls://node:secret@" + net.JoinHostPort(ip.String(), strconv.Itoa(port)), CA: a.file,
		Directory: noHomes{}, SigningKey: bubbleKey, Logger: log.logger(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	a.outside(server.Options{Port: port})
	until(t, "both connections are closed", func() bool { return len(log.lines("does not require authentication")) == 2 })
	if !bus.Elsewhere("session") {
		t.Error("without a connection, the node reports that nobody watches elsewhere")
	}
}
