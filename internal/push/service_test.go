package push_test

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bellcord/bellcord/internal/push"
	"github.com/bellcord/bellcord/internal/serverstore"
)

// service is a push service at a loopback address, and the browser that its
// messages are for.
type service struct {
	*httptest.Server
	t        *testing.T
	key      *ecdh.PrivateKey
	auth     []byte
	received chan received
	answer   func(http.ResponseWriter, *http.Request) // nil accepts every message
	requests atomic.Int64
}

// received is a message as the browser sees it.
type received struct {
	push.Message
	header http.Header
	size   int
}

func newService(t *testing.T) *service {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := &service{t: t, key: key, auth: []byte("sixteen bytes ok"), received: make(chan received, 100)}
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP accepts a message, unless answer is set.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if s.answer != nil {
		s.answer(w, r)
		return
	}
	text, err := s.decrypt(body)
	got := received{header: r.Header, size: len(body)}
	if err == nil {
		err = json.Unmarshal(text, &got.Message)
	}
	if err != nil {
		s.t.Errorf("a message that the browser cannot read: %v", err)
	}
	s.received <- got
	w.WriteHeader(http.StatusCreated)
}

// decrypt reads a message as RFC 8188 and RFC 8291 describe it for the receiver,
// with HKDF made from HMAC.
func (s *service) decrypt(body []byte) ([]byte, error) {
	if len(body) < 86 || body[20] != 65 {
		return nil, errors.New("the header is too short")
	}
	salt, sender := body[:16], body[21:86]
	public, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return nil, err
	}
	shared, err := s.key.ECDH(public)
	if err != nil {
		return nil, err
	}
	info := append(append([]byte("WebPush: info\x00"), s.key.PublicKey().Bytes()...), sender...)
	secret := mac(mac(s.auth, shared), append(info, 1))
	random := mac(salt, secret)
	block, err := aes.NewCipher(mac(random, []byte("Content-Encoding: aes128gcm\x00\x01"))[:16])
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	text, err := gcm.Open(nil, mac(random, []byte("Content-Encoding: nonce\x00\x01"))[:12], body[86:], nil)
	if err != nil {
		return nil, err
	}
	text = []byte(strings.TrimRight(string(text), "\x00"))
	if len(text) == 0 || text[len(text)-1] != 2 {
		return nil, errors.New("the record has no end")
	}
	return text[:len(text)-1], nil
}

func mac(key, data []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(data)
	return h.Sum(nil)
}

func (s *service) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool
}

// subscription returns the browser's subscription, for both kinds of messages.
func (s *service) subscription(owner, token string) serverstore.PushSubscription {
	return serverstore.PushSubscription{
		Owner: owner, Token: token, Endpoint: s.URL + "/secret-path", PublicKey: s.key.PublicKey().Bytes(), Auth: s.auth, Questions: true, Ends: true,
	}
}

// next returns the next message.
func (s *service) next(ctx context.Context) received {
	s.t.Helper()
	select {
	case got := <-s.received:
		return got
	case <-ctx.Done():
		s.t.Fatal("no message arrived")
		return received{}
	}
}
