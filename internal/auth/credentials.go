package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// What a Door answers to whoever is not let in. All but ErrNoCredentials and
// TooManyError are ErrBadCredentials, too.
var (
	ErrNoCredentials  = errors.New("no credentials: send a token as Authorization: Bearer")
	ErrBadCredentials = errors.New("the credentials are not good")
	ErrInAddress      = fmt.Errorf("%w: a token in the address is refused always, because addresses are logged and shared; treat it as lost and revoke it", ErrBadCredentials)
)

// CookieName is the name of a browser's cookie.
const CookieName = "bellcord"

// longestCredential is longer than any JWT in use.
const longestCredential = 16 << 10

// credential is what a caller shows.
type credential struct {
	text   string
	cookie bool
}

func (c credential) hash() [sha256.Size]byte { return sha256.Sum256([]byte(c.text)) }

func (c credential) isJWT() bool {
	return !c.cookie && !strings.HasPrefix(c.text, tokenPrefix) && strings.Count(c.text, ".") == 2
}

// credentialOf reads the header or else the cookie. Two of a kind are refused:
// which one counts would be anybody's guess.
func credentialOf(r *http.Request) (credential, error) {
	if headers := r.Header.Values("Authorization"); len(headers) > 0 {
		scheme, text, _ := strings.Cut(headers[0], " ")
		text = strings.TrimSpace(text)
		if len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") || text == "" || len(text) > longestCredential {
			return credential{}, fmt.Errorf("%w: send one header, Authorization: Bearer and a token", ErrBadCredentials)
		}
		return credential{text: text}, nil
	}
	switch cookies := r.CookiesNamed(CookieName); {
	case len(cookies) == 0:
		return credential{}, ErrNoCredentials
	case len(cookies) > 1 || len(cookies[0].Value) > longestCredential:
		return credential{}, fmt.Errorf("%w: send one cookie", ErrBadCredentials)
	default:
		return credential{text: cookies[0].Value, cookie: true}, nil
	}
}

// inAddress reports whether somebody tries a token in the query.
func inAddress(u *url.URL) bool {
	for name := range u.Query() {
		switch strings.ToLower(name) {
		case "token", "access_token", "api_key":
			return true
		}
	}
	return false
}

// noHash stands for the hash of a token that does not exist, so that the
// comparison is made all the same.
var noHash = make([]byte, sha256.Size)

// fits reports whether the secret is the token's, in a time that does not depend
// on how nearly it is. Presence is never enough: a token without a hash fits none.
func (t Token) fits(secret string) bool {
	want := t.Hash
	if t.ID == "" || len(want) != sha256.Size {
		want = noHash
	}
	got := sha256.Sum256([]byte(secret))
	same := subtle.ConstantTimeCompare(got[:], want) == 1
	return same && t.ID != "" && len(t.Hash) == sha256.Size
}
