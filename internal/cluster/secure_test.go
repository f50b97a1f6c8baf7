package cluster_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/cluster"
)

// authority is a certificate authority.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	a.file, _ = a.sign("authority", func(c *x509.Certificate) { c.IsCA, c.BasicConstraintsValid = true, true })
	return a
}

// sign creates a certificate and its key, and returns their files. The first
// certificate is the authority's.
func (a *authority) sign(name string, changes ...func(*x509.Certificate)) (certFile, keyFile string) {
	a.t.Helper()
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, change := range changes {
		change(cert)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	if a.cert == nil {
		a.cert, a.key = cert, key
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	return a.write(name+".crt", "CERTIFICATE", der), a.write(name+".key", "PRIVATE KEY", private)
}

func (a *authority) write(name, kind string, der []byte) string {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}

// server starts a server that requires certificates of this authority.
func (a *authority) server() *server.Server {
	a.t.Helper()
	pair, err := tls.LoadX509KeyPair(a.sign("server"))
	if err != nil {
		a.t.Fatal(err)
	}
	text, err := os.ReadFile(a.file)
	if err != nil {
		a.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return serve(a.t, server.Options{TLS: true, TLSVerify: true, TLSTimeout: patient.Seconds(), TLSConfig: &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
	}})
}

func TestNode_ClientCertificates_AreRequired(t *testing.T) {
	t.Parallel()
	known, stranger := newAuthority(t), newAuthority(t)
	s := &stage{t: t, place: place(t), url: known.server().ClientURL()}
	trusted := func(with *setup) { with.CA = known.file; with.Cert, with.Key = known.sign("node") }
	a, b := s.join(trusted), s.join(trusted)
	session := settledAt(b, a)
	turn := b.runs(session, "hang")
	if r := a.settles(bellcord.StopTurn(turn, by)); r.End != bellcord.EndStopped {
		t.Errorf("%+v", r)
	}
	for name, change := range map[string]func(*setup){
		"without a certificate":          func(with *setup) { with.CA = known.file },
		"with a stranger's certificate":  func(with *setup) { with.CA = known.file; with.Cert, with.Key = stranger.sign("node") },
		"that does not know the server":  func(with *setup) { with.CA = stranger.file; with.Cert, with.Key = known.sign("node") },
		"that knows nothing of all that": func(*setup) {},
	} {
		outside := s.join(change)
		if _, err := outside.Ping(inTime(t), a.id); err == nil {
			t.Errorf("a node %s is heard", name)
		}
		if !outside.bus.Elsewhere(session) {
			t.Errorf("a node %s believes that it hears", name)
		}
	}
}

func TestDial_InvalidCertificateFiles_ReturnsAnError(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	cert, key := a.sign("node")
	for name, c := range map[string]cluster.Config{
		"no such authority":           {CA: filepath.Join(a.dir, "nowhere")},
		"an authority that is a key":  {CA: key},
		"a certificate without a key": {Cert: cert},
		"a key without a certificate": {Key: key},
		"no such certificate":         {Cert: filepath.Join(a.dir, "nowhere"), Key: key},
		"no such credentials":         {Creds: filepath.Join(a.dir, "nowhere")},
	} {
		c.URLs, c.Directory, c.SigningKey = "nats://127.0.0.1:1", noHomes{}, bubbleKey
		if bus, err := cluster.Dial(c); err == nil {
			bus.Close()
			t.Errorf("%s is taken", name)
		}
	}
}
