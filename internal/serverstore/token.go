package serverstore

import (
	"context"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
)

// Token is an access token as it is stored, without its secret.
type Token struct {
	ID, Owner, Name string
	Scopes          []bellcord.Scope
	Hash            []byte // SHA-256 of the secret; for a browser, of the secret and the page's key
	Created         time.Time
	Expires         time.Time // zero: never
	Used            time.Time // last use, to the minute; zero: never
	Revoked         time.Time // zero: not revoked
	Cookie          bool      // a browser's token, accepted in a cookie only
	Parent          string    // the token that a browser logged in with; revoking it revokes this one
}

// ErrNoToken is returned by a TokenStore that has no such token.
var ErrNoToken = errors.New("no such token")

// TokenStore stores the tokens of a server. A write is visible to every later
// read, including reads of other processes.
type TokenStore interface {
	// PutToken adds a token. It never replaces one. It returns ErrNoToken if the
	// token's parent does not exist or is revoked.
	PutToken(ctx context.Context, t Token) error
	// Token returns ErrNoToken if the token does not exist.
	Token(ctx context.Context, id string) (Token, error)
	// Tokens returns all tokens, the oldest first.
	Tokens(ctx context.Context) ([]Token, error)
	// RevokeToken revokes a token and its children. The time of the first
	// revocation is kept. It returns ErrNoToken if the token does not exist.
	RevokeToken(ctx context.Context, id string, at time.Time) error
	// TouchToken records that a token was used. It returns ErrNoToken if the
	// token does not exist.
	TouchToken(ctx context.Context, id string, at time.Time) error
}
