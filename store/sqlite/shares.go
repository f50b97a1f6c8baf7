package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"
)

var _ serverstore.ShareStore = (*Store)(nil)

// PutShare implements serverstore.ShareStore.
func (s *Store) PutShare(ctx context.Context, v serverstore.Share) error {
	return s.transact(ctx, func(t tx) error {
		if err := t.exec(`DELETE FROM shares WHERE expires <= $1`, nanos(v.Created)); err != nil {
			return err
		}
		added, err := t.affected(`
			INSERT INTO shares (id, owner, session, title, hash, created, expires, content)
			SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE EXISTS (SELECT 1 FROM sessions WHERE id = $3)`,
			v.ID, v.Owner, string(v.Session), v.Title, v.Hash, nanos(v.Created), nanos(v.Expires), v.Content)
		if err == nil && added == 0 {
			return bellcord.ErrNoSession
		}
		return err
	})
}

// Share implements serverstore.ShareStore.
func (s *Store) Share(ctx context.Context, id string) (serverstore.Share, error) {
	v := serverstore.Share{ID: id}
	var created, expires int64
	err := s.queryRow(ctx, `SELECT owner, session, title, hash, created, expires, content FROM shares WHERE id = $1`, id).
		Scan(&v.Owner, &v.Session, &v.Title, &v.Hash, &created, &expires, &v.Content)
	if errors.Is(err, sql.ErrNoRows) {
		return serverstore.Share{}, serverstore.ErrNoShare
	}
	v.Created, v.Expires = fromNanos(created), fromNanos(expires)
	return v, err
}

// Shares implements serverstore.ShareStore.
func (s *Store) Shares(ctx context.Context, owner string) ([]serverstore.Share, error) {
	rows, err := s.query(ctx, `SELECT id, owner, session, title, hash, created, expires FROM shares WHERE $1 IN ('', owner) ORDER BY created DESC, id`, owner)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []serverstore.Share
	for rows.Next() {
		var v serverstore.Share
		var created, expires int64
		if err := rows.Scan(&v.ID, &v.Owner, &v.Session, &v.Title, &v.Hash, &created, &expires); err != nil {
			return nil, err
		}
		v.Created, v.Expires = fromNanos(created), fromNanos(expires)
		all = append(all, v)
	}
	return all, explain(rows.Err())
}

// DeleteShare implements serverstore.ShareStore.
func (s *Store) DeleteShare(ctx context.Context, id string) error {
	return s.transact(ctx, func(t tx) error {
		deleted, err := t.affected(`DELETE FROM shares WHERE id = $1`, id)
		if err == nil && deleted == 0 {
			return serverstore.ErrNoShare
		}
		return err
	})
}
