package auth

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/serverstore"
)

// TokenState is the validity of a token.
type TokenState string

// The states of a token.
const (
	Active  TokenState = "active"
	Expired TokenState = "expired"
	Revoked TokenState = "revoked"
)

// State returns the state of a token at a time. A browser's token is also
// Expired when it was unused for twelve hours.
func State(t serverstore.Token, at time.Time) TokenState {
	switch {
	case !t.Revoked.IsZero():
		return Revoked
	case !t.Expires.IsZero() && !at.Before(t.Expires):
		return Expired
	case t.Cookie && !at.Before(lastUse(t).Add(idleFor)):
		return Expired
	}
	return Active
}

func lastUse(t serverstore.Token) time.Time {
	if t.Used.After(t.Created) {
		return t.Used
	}
	return t.Created
}

// Mint creates a token and stores it. text is the only copy of its secret; the
// store contains a hash.
func Mint(ctx context.Context, store serverstore.TokenStore, t serverstore.Token) (text string, made serverstore.Token, err error) {
	if text, made, err = NewToken(t); err != nil {
		return "", serverstore.Token{}, err
	}
	if err := store.PutToken(ctx, made); err != nil {
		return "", serverstore.Token{}, err
	}
	return text, made, nil
}

// NewToken creates a token for the Authorization header without storing it.
// Owner and scopes are taken from t, and name and times if they are set.
func NewToken(t serverstore.Token) (text string, made serverstore.Token, err error) {
	if strings.HasPrefix(t.Owner, oidcPrefix) {
		return "", serverstore.Token{}, fmt.Errorf("owner %q: names that start with %q are reserved for OpenID Connect", t.Owner, oidcPrefix)
	}
	if err := checkName("owner", t.Owner, ""); err != nil {
		return "", serverstore.Token{}, err
	}
	t.Cookie, t.Parent = false, ""
	return draw(t, "")
}

// draw gives a token an ID and a secret. page is the public key of the page
// for a browser's token, or "".
func draw(t serverstore.Token, page string) (text string, made serverstore.Token, err error) {
	if t.Name == "" {
		t.Name = t.Owner
	}
	if !t.Cookie { // the name of a browser's token is fixed
		if err := checkName("name", t.Name, " "); err != nil {
			return "", serverstore.Token{}, err
		}
	}
	if t.Scopes, err = orderly(t.Scopes); err != nil {
		return "", serverstore.Token{}, err
	}
	if t.Created.IsZero() {
		t.Created = time.Now()
	}
	if State(t, t.Created) == Expired {
		return "", serverstore.Token{}, errors.New("the token would already be expired; choose a later expiry")
	}
	t.Used, t.Revoked = time.Time{}, time.Time{}
	secret := randomHex(32)
	hash := hashOf(secret, page)
	t.ID, t.Hash = randomHex(idLength/2), hash[:]
	return tokenPrefix + t.ID + "_" + secret, t, nil
}

const (
	tokenPrefix = "bc_"
	idLength    = 12
)

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails: the program exits instead
	return hex.EncodeToString(b)
}

// splitToken splits a token's text. ok is false if the text is malformed.
func splitToken(text string) (id, secret string, ok bool) {
	rest, prefixed := strings.CutPrefix(text, tokenPrefix)
	id, secret, cut := strings.Cut(rest, "_")
	return id, secret, prefixed && cut && len(id) == idLength && secret != ""
}

const longestName = 64

// checkName accepts only names of ASCII letters, digits and some punctuation,
// plus the characters in also. Confusable letters of other alphabets are
// refused.
func checkName(what, name, also string) error {
	if name == "" || len(name) > longestName {
		return fmt.Errorf("%s %q: must have 1 to %d characters", what, name, longestName)
	}
	const punctuation = "._@-:+"
	for _, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && !strings.ContainsRune(punctuation+also, r) {
			return fmt.Errorf("%s %q: use only letters, digits and %s", what, name, punctuation)
		}
	}
	return nil
}
