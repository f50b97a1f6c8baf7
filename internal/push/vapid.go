package push

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"time"
)

// contact is the address that push services get as that of the sender. It is the
// project's address, so that they do not learn the name of the server.
const contact = "https://github.com/bellcord/bellcord"

// signedFor is how long a signature is valid; push services accept at most 24
// hours.
const signedFor = 12 * time.Hour

// signer identifies this server to push services (RFC 8292). A subscription is
// bound to its key: nobody else can send to the browser.
type signer struct {
	private *ecdsa.PrivateKey
	public  string // as browsers and push services expect it
}

// newKey returns a new private key, as it is stored.
func newKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return key.Bytes()
}

func newSigner(stored []byte) (*signer, error) {
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), stored)
	if err != nil {
		return nil, fmt.Errorf("the stored key for push messages: %w", err)
	}
	public, err := private.PublicKey.Bytes()
	if err != nil {
		return nil, err
	}
	return &signer{private, base64.RawURLEncoding.EncodeToString(public)}, nil
}

// authorization returns the Authorization header of a request to an endpoint.
func (s *signer) authorization(endpoint *url.URL, now time.Time) (string, error) {
	claims, err := json.Marshal(map[string]any{"aud": "https://" + endpoint.Host, "exp": now.Add(signedFor).Unix(), "sub": contact})
	if err != nil {
		return "", err
	}
	token := base64.RawURLEncoding.EncodeToString([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + base64.RawURLEncoding.EncodeToString(claims)
	hash := sha256.Sum256([]byte(token))
	r, v, err := ecdsa.Sign(rand.Reader, s.private, hash[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	v.FillBytes(signature[32:])
	return "vapid t=" + token + "." + base64.RawURLEncoding.EncodeToString(signature) + ", k=" + s.public, nil
}
