package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/bellcord/bellcord/internal/auth"
)

const audience = "bellcord-test"

// testIssuer is an OpenID Connect issuer. It also announces algorithms that a
// server must not accept.
type testIssuer struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex
	kid      string
	key      *ecdsa.PrivateKey
	down     bool
	fetched  int // requests for the keys
	requests int // requests for the configuration
}

func newTestIssuer(t *testing.T) *testIssuer {
	t.Helper()
	i := &testIssuer{t: t}
	i.rotate("one")
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", i.configuration)
	mux.HandleFunc("/keys", i.keys)
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func (i *testIssuer) configuration(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.requests++
	if i.down {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"issuer": i.URL, "jwks_uri": i.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
	})
}

func (i *testIssuer) keys(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.fetched++
	key := jose.JSONWebKey{Key: i.key.Public(), KeyID: i.kid, Algorithm: "ES256", Use: "sig"}
	_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{key}})
}

// rotate replaces the key.
func (i *testIssuer) rotate(kid string) {
	i.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		i.t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.kid, i.key = kid, key
}

func (i *testIssuer) setDown(down bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.down = down
}

// counts returns the number of requests for the configuration and for the keys.
func (i *testIssuer) counts() (requested, fetched int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.requests, i.fetched
}

type claims map[string]any

// claims returns valid claims of anna's with changes; nil removes a claim.
func (i *testIssuer) claims(change claims) []byte {
	i.t.Helper()
	all := claims{"iss": i.URL, "aud": audience, "sub": "anna", "iat": time.Now().Unix(), "exp": in(time.Hour).Unix()}
	maps.Copy(all, change)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	data, err := json.Marshal(all)
	if err != nil {
		i.t.Fatal(err)
	}
	return data
}

// jwt returns a JWT signed with the current key.
func (i *testIssuer) jwt(change claims) string {
	i.t.Helper()
	i.mu.Lock()
	kid, key := i.kid, i.key
	i.mu.Unlock()
	return i.signed(jose.SigningKey{Algorithm: jose.ES256, Key: key}, kid, change)
}

func (i *testIssuer) signed(key jose.SigningKey, kid string, change claims) string {
	i.t.Helper()
	signer, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithHeader("kid", kid).WithType("JWT"))
	if err != nil {
		i.t.Fatal(err)
	}
	signed, err := signer.Sign(i.claims(change))
	if err != nil {
		i.t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		i.t.Fatal(err)
	}
	return text
}

// unsigned returns a JWT that is not signed.
func (i *testIssuer) unsigned(alg, signature string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"`+alg+`","typ":"JWT"}`)) + "." + encode(i.claims(nil)) + "." + signature
}

// publicPEM returns the public key as PEM, which vulnerable verifiers accept as
// an HMAC secret.
func (i *testIssuer) publicPEM() []byte {
	i.t.Helper()
	der, err := x509.MarshalPKIXPublicKey(i.key.Public())
	if err != nil {
		i.t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func (i *testIssuer) trusted(change func(*auth.Issuer)) auth.Options {
	is := auth.Issuer{Issuer: i.URL, Audience: audience}
	if change != nil {
		change(&is)
	}
	return auth.Options{OIDC: []auth.Issuer{is}, Tries: 1000}
}
