package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"
)

// OtherLogins returns the active browser logins of the caller's owner, without
// the caller's own and without those that have a scope which the caller lacks.
// Only a browser login may call it; others get ErrNotLoggedIn.
func (d *Door) OtherLogins(ctx context.Context, c Caller) ([]serverstore.Token, error) {
	if !c.Browser {
		return nil, ErrNotLoggedIn
	}
	all, err := d.store.Tokens(ctx)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	now := time.Now()
	return slices.DeleteFunc(all, func(t serverstore.Token) bool {
		exceeds := slices.ContainsFunc(t.Scopes, func(s bellcord.Scope) bool { return !c.May(s) })
		return !t.Cookie || t.Owner != c.Owner || t.ID == c.Token || exceeds || State(t, now) != Active
	}), nil
}

// RevokeOtherLogins revokes the logins that OtherLogins returns, and returns
// their number. After an error, a part of them may be revoked.
func (d *Door) RevokeOtherLogins(ctx context.Context, c Caller) (int, error) {
	others, err := d.OtherLogins(ctx, c)
	if err != nil {
		return 0, err
	}
	now := time.Now()
	for i, t := range others {
		if err := d.store.RevokeToken(ctx, t.ID, now); err != nil && !errors.Is(err, serverstore.ErrNoToken) {
			return i, fmt.Errorf("revoke login: %w", err)
		}
	}
	return len(others), nil
}

// Recheck returns an error with ErrBadCredentials if the caller's token or JWT
// was revoked or has expired since Enter. Call it for a connection that stays open.
// It is not a use of the token: an open connection does not keep a login from
// expiring. A caller without credentials, at the local socket, is not checked.
func (d *Door) Recheck(ctx context.Context, c Caller) error {
	if c.jwt != nil {
		_, err := d.checkJWT(ctx, *c.jwt)
		return err
	}
	if c.Token == "" {
		return nil
	}
	t, err := d.store.Token(ctx, c.Token)
	switch {
	case errors.Is(err, serverstore.ErrNoToken):
		return errNoSuchToken
	case err != nil:
		return fmt.Errorf("look up token: %w", err)
	}
	if state := State(t, time.Now()); state != Active {
		return fmt.Errorf("%w: the token is %s", ErrBadCredentials, state)
	}
	return nil
}
