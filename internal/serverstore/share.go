package serverstore

import (
	"context"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
)

// Share is a copy of a conversation that everyone with its link can read until
// it expires. The secret of the link is not stored.
type Share struct {
	ID      string
	Owner   string
	Session bellcord.SessionID
	Title   string
	Hash    []byte // SHA-256 of the link's secret
	Created time.Time
	Expires time.Time
	Content []byte // the conversation, as JSON of package api; Shares omits it
}

// ErrNoShare is returned by a ShareStore that has no such share.
var ErrNoShare = errors.New("no such share")

// ShareStore stores shares. A share is deleted with its session.
type ShareStore interface {
	// PutShare adds a share and deletes those that expired before it was
	// created. It never replaces one. It returns ErrNoSession if the session
	// does not exist.
	PutShare(ctx context.Context, s Share) error
	// Share returns ErrNoShare if the share does not exist. It also returns
	// expired shares.
	Share(ctx context.Context, id string) (Share, error)
	// Shares returns the shares of an owner, or of all owners if it is empty,
	// the newest first and without their contents.
	Shares(ctx context.Context, owner string) ([]Share, error)
	// DeleteShare returns ErrNoShare if the share does not exist.
	DeleteShare(ctx context.Context, id string) error
}
