package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"
)

var _ serverstore.ShareStore = (*Store)(nil)

// PutShare implements serverstore.ShareStore. The session is locked, so that it
// cannot be deleted without the share.
func (s *Store) PutShare(ctx context.Context, v serverstore.Share) error {
	return s.transact(ctx, func(t *tx) error {
		if err := t.beginTx(); err != nil {
			return err
		}
		if err := t.exec(`DELETE FROM shares WHERE expires <= $1`, nanos(v.Created)); err != nil {
			return err
		}
		exists, err := t.affected(`SELECT 1 FROM sessions WHERE id = $1 FOR SHARE`, word(v.Session))
		if err == nil && exists == 0 {
			err = bellcord.ErrNoSession
		}
		if err != nil {
			return err
		}
		return t.exec(`INSERT INTO shares (id, owner, session, title, hash, created, expires, content) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			word(v.ID), word(v.Owner), word(v.Session), word(v.Title), v.Hash, nanos(v.Created), nanos(v.Expires), v.Content)
	})
}

// Share implements serverstore.ShareStore.
func (s *Store) Share(ctx context.Context, id string) (serverstore.Share, error) {
	v := serverstore.Share{ID: id}
	var created, expires int64
	err := s.readers.QueryRow(ctx, `SELECT owner, session, title, hash, created, expires, content FROM shares WHERE id = $1`, word(id)).
		Scan((*word)(&v.Owner), (*word)(&v.Session), (*word)(&v.Title), &v.Hash, &created, &expires, &v.Content)
	if errors.Is(err, pgx.ErrNoRows) {
		return serverstore.Share{}, serverstore.ErrNoShare
	}
	v.Created, v.Expires = fromNanos(created), fromNanos(expires)
	return v, s.explain(ctx, err)
}

// Shares implements serverstore.ShareStore.
func (s *Store) Shares(ctx context.Context, owner string) ([]serverstore.Share, error) {
	rows, err := s.readers.Query(ctx,
		`SELECT id, owner, session, title, hash, created, expires FROM shares WHERE $1::text IN ('', owner) ORDER BY created DESC, id`, word(owner))
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (serverstore.Share, error) {
		var v serverstore.Share
		var created, expires int64
		err := row.Scan((*word)(&v.ID), (*word)(&v.Owner), (*word)(&v.Session), (*word)(&v.Title), &v.Hash, &created, &expires)
		v.Created, v.Expires = fromNanos(created), fromNanos(expires)
		return v, err
	})
	return all, s.explain(ctx, err)
}

// DeleteShare implements serverstore.ShareStore.
func (s *Store) DeleteShare(ctx context.Context, id string) error {
	return s.transact(ctx, func(t *tx) error {
		if err := t.beginTx(); err != nil {
			return err
		}
		deleted, err := t.affected(`DELETE FROM shares WHERE id = $1`, word(id))
		if err == nil && deleted == 0 {
			return serverstore.ErrNoShare
		}
		return err
	})
}
