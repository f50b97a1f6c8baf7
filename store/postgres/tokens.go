package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"
)

var _ serverstore.TokenStore = (*Store)(nil)

// PutToken implements serverstore.TokenStore. It also deletes expired browser
// tokens: every login creates one, and they are never used again.
func (s *Store) PutToken(ctx context.Context, v serverstore.Token) error {
	return s.transact(ctx, func(t *tx) error {
		if err := t.beginTx(); err != nil {
			return err
		}
		if err := t.exec(`DELETE FROM tokens WHERE cookie AND expires > 0 AND expires <= $1`, nanos(v.Created)); err != nil {
			return err
		}
		if v.Parent != "" { // locked, so that it cannot be revoked before its child exists
			good, err := t.affected(`SELECT 1 FROM tokens WHERE id = $1 AND revoked = 0 FOR SHARE`, word(v.Parent))
			if err == nil && good == 0 {
				err = serverstore.ErrNoToken
			}
			if err != nil {
				return err
			}
		}
		return t.exec(`
			INSERT INTO tokens (id, owner, name, scopes, hash, created, expires, used, revoked, cookie, parent)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			word(v.ID), word(v.Owner), word(v.Name), word(strings.Join(bellcord.ScopeNames(v.Scopes), ",")), v.Hash,
			nanos(v.Created), nanos(v.Expires), nanos(v.Used), nanos(v.Revoked), v.Cookie, word(v.Parent))
	})
}

const tokenColumns = `id, owner, name, scopes, hash, created, expires, used, revoked, cookie, parent` //nolint:gosec // names, no secrets

// Token implements serverstore.TokenStore.
func (s *Store) Token(ctx context.Context, id string) (serverstore.Token, error) {
	t, err := scanToken(s.readers.QueryRow(ctx, `SELECT `+tokenColumns+` FROM tokens WHERE id = $1`, word(id)))
	if errors.Is(err, pgx.ErrNoRows) {
		return serverstore.Token{}, serverstore.ErrNoToken
	}
	return t, s.explain(ctx, err)
}

// Tokens implements serverstore.TokenStore. The oldest token is first.
func (s *Store) Tokens(ctx context.Context) ([]serverstore.Token, error) {
	rows, err := s.readers.Query(ctx, `SELECT `+tokenColumns+` FROM tokens ORDER BY created, id`)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (serverstore.Token, error) { return scanToken(row) })
	return all, s.explain(ctx, err)
}

// RevokeToken implements serverstore.TokenStore.
func (s *Store) RevokeToken(ctx context.Context, id string, at time.Time) error {
	return s.transact(ctx, func(t *tx) error {
		if err := t.beginTx(); err != nil {
			return err
		}
		updated, err := t.affected(`UPDATE tokens SET revoked = CASE revoked WHEN 0 THEN $2 ELSE revoked END WHERE id = $1`, word(id), at.UnixNano())
		if err != nil {
			return err
		}
		if updated == 0 {
			return serverstore.ErrNoToken
		}
		return t.exec(`UPDATE tokens SET revoked = $2 WHERE parent = $1 AND parent <> '' AND revoked = 0`, word(id), at.UnixNano())
	})
}

// TouchToken implements serverstore.TokenStore. Calls may arrive out of order; the
// latest time is kept.
func (s *Store) TouchToken(ctx context.Context, id string, at time.Time) error {
	return s.transact(ctx, func(t *tx) error {
		if err := t.beginTx(); err != nil {
			return err
		}
		updated, err := t.affected(`UPDATE tokens SET used = greatest(used, $2) WHERE id = $1`, word(id), at.UnixNano())
		if err == nil && updated == 0 {
			return serverstore.ErrNoToken
		}
		return err
	})
}

func scanToken(row pgx.Row) (serverstore.Token, error) {
	var t serverstore.Token
	var scopes word
	var created, expires, used, revoked int64
	err := row.Scan((*word)(&t.ID), (*word)(&t.Owner), (*word)(&t.Name), &scopes, &t.Hash, &created, &expires, &used, &revoked, &t.Cookie, (*word)(&t.Parent))
	if err != nil {
		return serverstore.Token{}, err
	}
	for scope := range strings.SplitSeq(string(scopes), ",") {
		t.Scopes = append(t.Scopes, bellcord.Scope(scope))
	}
	t.Created, t.Expires, t.Used, t.Revoked = fromNanos(created), fromNanos(expires), fromNanos(used), fromNanos(revoked)
	return t, nil
}

// nanos and fromNanos convert the zero time to 0 and back.

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}
