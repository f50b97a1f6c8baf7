package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/bellcord/bellcord/internal/serverstore"
)

// Errors that Door.Enter returns for a refused request. All except
// ErrNoCredentials, ErrOldSignature and TooManyError wrap ErrBadCredentials.
var (
	ErrNoCredentials  = errors.New("no credentials: send a token as Authorization: Bearer")
	ErrBadCredentials = errors.New("invalid credentials")
	ErrNoPage         = fmt.Errorf("%w: a cookie is accepted only together with the header "+PageHeader+", which the page signs; "+
		"log in again with bellcord open, or send a token as Authorization: Bearer", ErrBadCredentials)
	ErrInAddress = fmt.Errorf("%w: a token in the URL is always refused, because URLs are logged and shared; treat it as leaked and revoke it", ErrBadCredentials)
)

// CookieName and PageHeader are the two parts of a browser's credentials; each
// request needs both. A browser sends a cookie to every port of a host, so
// other servers on the machine receive it. The header has the public key of the
// page, a challenge of this server, and the signature of it. The page cannot read its
// private key, so it cannot reveal it to a server that takes this one's port.
const (
	CookieName = "bellcord"
	PageHeader = "Bellcord-Page"
)

// longestCredential is longer than any JWT in use.
const longestCredential = 16 << 10

// credential is what a request presents.
type credential struct {
	text   string
	page   string // the public key of the page; never empty with a cookie
	cookie bool

	challenge, signature string // not a part of the login
}

func (c credential) hash() [sha256.Size]byte { return hashOf(c.text, c.page) }

func (c credential) isJWT() bool {
	return !c.cookie && !strings.HasPrefix(c.text, tokenPrefix) && strings.Count(c.text, ".") == 2
}

// credentialOf reads the Authorization header, or else the cookie and the header of
// the page. A cookie without that header is refused. Duplicates are refused,
// because it would be ambiguous which one counts.
func credentialOf(r *http.Request) (credential, error) {
	if headers := r.Header.Values("Authorization"); len(headers) > 0 {
		scheme, text, _ := strings.Cut(headers[0], " ")
		text = strings.TrimSpace(text)
		if len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") || text == "" || len(text) > longestCredential {
			return credential{}, fmt.Errorf("%w: send exactly one header, Authorization: Bearer TOKEN", ErrBadCredentials)
		}
		return credential{text: text}, nil
	}
	cookies, pages := r.CookiesNamed(CookieName), r.Header.Values(PageHeader)
	switch {
	case len(cookies) == 0:
		return credential{}, ErrNoCredentials
	case len(cookies) > 1 || len(cookies[0].Value) > longestCredential:
		return credential{}, fmt.Errorf("%w: send exactly one cookie named %s", ErrBadCredentials, CookieName)
	case len(pages) == 0 || pages[0] == "":
		return credential{}, ErrNoPage
	case len(pages) > 1 || len(pages[0]) > longestCredential:
		return credential{}, fmt.Errorf("%w: send exactly one header %s", ErrBadCredentials, PageHeader)
	}
	key, rest, _ := strings.Cut(pages[0], ".")
	challenge, signature, _ := strings.Cut(rest, ".")
	return credential{text: cookies[0].Value, page: key, cookie: true, challenge: challenge, signature: signature}, nil
}

// inAddress reports whether the query contains a token parameter.
func inAddress(u *url.URL) bool {
	for name := range u.Query() {
		switch strings.ToLower(name) {
		case "token", "access_token", "api_key":
			return true
		}
	}
	return false
}

// noHash replaces the hash of a token that does not exist, so that the
// comparison takes place anyway.
var noHash = make([]byte, sha256.Size)

// hashOf returns the hash that the store keeps of a token's secret. The secret of a
// browser is hashed together with the public key of its page, so that each belongs to
// the other. A key is never empty.
func hashOf(secret, page string) [sha256.Size]byte {
	if page == "" {
		return sha256.Sum256([]byte(secret))
	}
	return sha256.Sum256([]byte("page\x00" + secret + "\x00" + page)) // a header cannot contain NUL
}

// fits reports whether the secret and the page's key belong to the token, in constant time. A
// token without a hash never matches.
func fits(t serverstore.Token, secret, page string) bool {
	want := t.Hash
	if t.ID == "" || len(want) != sha256.Size {
		want = noHash
	}
	got := hashOf(secret, page)
	same := subtle.ConstantTimeCompare(got[:], want) == 1
	return same && t.ID != "" && len(t.Hash) == sha256.Size
}
