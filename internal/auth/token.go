package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrNoToken is answered by a store that has no such token.
var ErrNoToken = errors.New("no such token")

// Token is what the store has of a token: all but its secret.
type Token struct {
	ID, Owner, Name string
	Scopes          []Scope
	Hash            []byte // SHA-256 of the secret
	Created         time.Time
	Expires         time.Time // zero: never
	Used            time.Time // the last time, to the minute; zero: never
	Revoked         time.Time // zero: it is not
	Cookie          bool      // a browser's: good in a cookie and nowhere else
	Parent          string    // the token with which a browser was let in; revoked with it
}

// TokenState is whether a token is good.
type TokenState string

// The states of a token.
const (
	Active  TokenState = "active"
	Expired TokenState = "expired"
	Revoked TokenState = "revoked"
)

// State returns whether the token is good at a time.
func (t Token) State(at time.Time) TokenState {
	switch {
	case !t.Revoked.IsZero():
		return Revoked
	case !t.Expires.IsZero() && !at.Before(t.Expires):
		return Expired
	}
	return Active
}

// Store keeps tokens. What it has written is seen by the next reading, also
// another process's.
type Store interface {
	// PutToken adds a token. It never replaces one. One whose parent is gone or
	// revoked is refused with ErrNoToken.
	PutToken(ctx context.Context, t Token) error
	// Token returns ErrNoToken when there is none.
	Token(ctx context.Context, id string) (Token, error)
	Tokens(ctx context.Context) ([]Token, error)
	// RevokeToken revokes a token and those whose parent it is. The first
	// revocation stays; ErrNoToken when there is no such token.
	RevokeToken(ctx context.Context, id string, at time.Time) error
	// TouchToken notes that the token was used.
	TouchToken(ctx context.Context, id string, at time.Time) error
}

// Mint makes a token and puts it into the store. The text is what its owner
// shows; it cannot be had again.
func Mint(ctx context.Context, store Store, t Token) (text string, made Token, err error) {
	if text, made, err = NewToken(t); err != nil {
		return "", Token{}, err
	}
	if err := store.PutToken(ctx, made); err != nil {
		return "", Token{}, err
	}
	return text, made, nil
}

// NewToken makes a token that no store knows yet, for the header. Owner and
// scopes are taken from t, and where they are given name and times.
func NewToken(t Token) (text string, made Token, err error) {
	if strings.HasPrefix(t.Owner, oidcPrefix) {
		return "", Token{}, fmt.Errorf("owner %q: names that begin with %q are those of OpenID Connect", t.Owner, oidcPrefix)
	}
	if err := checkName("owner", t.Owner, ""); err != nil {
		return "", Token{}, err
	}
	t.Cookie, t.Parent = false, ""
	return draw(t)
}

// draw gives a token its id and secret.
func draw(t Token) (text string, made Token, err error) {
	if t.Name == "" {
		t.Name = t.Owner
	}
	if !t.Cookie { // a browser's is named by us
		if err := checkName("name", t.Name, " "); err != nil {
			return "", Token{}, err
		}
	}
	if t.Scopes, err = orderly(t.Scopes); err != nil {
		return "", Token{}, err
	}
	if t.Created.IsZero() {
		t.Created = time.Now()
	}
	if t.State(t.Created) == Expired {
		return "", Token{}, errors.New("the token would be expired from the start")
	}
	t.Used, t.Revoked = time.Time{}, time.Time{}
	secret := randomHex(32)
	hash := sha256.Sum256([]byte(secret))
	t.ID, t.Hash = randomHex(idLength/2), hash[:]
	return tokenPrefix + t.ID + "_" + secret, t, nil
}

const (
	tokenPrefix = "bc_"
	idLength    = 12
)

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails: the program ends instead
	return hex.EncodeToString(b)
}

// splitToken takes a token's text apart. ok is false for what cannot be one.
func splitToken(text string) (id, secret string, ok bool) {
	rest, ours := strings.CutPrefix(text, tokenPrefix)
	id, secret, cut := strings.Cut(rest, "_")
	return id, secret, ours && cut && len(id) == idLength && secret != ""
}

const longestName = 64

// checkName lets through names that look the same to everybody and everywhere.
func checkName(what, name, also string) error {
	if name == "" || len(name) > longestName {
		return fmt.Errorf("%s %q: it has to have 1 to %d characters", what, name, longestName)
	}
	const punctuation = "._@-:+"
	for _, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && !strings.ContainsRune(punctuation+also, r) {
			return fmt.Errorf("%s %q: letters, digits and %s only", what, name, punctuation)
		}
	}
	return nil
}
