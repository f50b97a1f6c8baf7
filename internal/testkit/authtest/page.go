package authtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// PageKey is the key of a browser's page.
type PageKey struct {
	Public string // as POST /v1/login takes it

	private *ecdsa.PrivateKey
}

// NewPageKey returns a new key.
func NewPageKey() PageKey {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	public, err := private.PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	return PageKey{base64.RawURLEncoding.EncodeToString(public), private}
}

// Sign returns the header Bellcord-Page for a challenge.
func (k PageKey) Sign(challenge string) string {
	sum := sha256.Sum256([]byte("bellcord page\x00" + challenge))
	r, s, err := ecdsa.Sign(rand.Reader, k.private, sum[:])
	if err != nil {
		panic(err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return k.Public + "." + challenge + "." + base64.RawURLEncoding.EncodeToString(signature)
}
