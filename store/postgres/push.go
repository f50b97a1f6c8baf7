package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord/internal/serverstore"
)

var _ serverstore.PushStore = (*Store)(nil)

// PutPushSubscription implements serverstore.PushStore.
func (s *Store) PutPushSubscription(ctx context.Context, v serverstore.PushSubscription) error {
	return s.transact(ctx, func(t *tx) error {
		if err := t.beginTx(); err != nil {
			return err
		}
		if err := t.exec(`
			INSERT INTO push_subscriptions (id, owner, token, endpoint, public_key, auth, questions, ends, created)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
			ON CONFLICT (id) DO UPDATE SET (owner, token, endpoint, public_key, auth, questions, ends, created) =
			(excluded.owner, excluded.token, excluded.endpoint, excluded.public_key, excluded.auth, excluded.questions, excluded.ends, excluded.created)`,
			word(v.ID), word(v.Owner), word(v.Token), word(v.Endpoint), v.PublicKey, v.Auth, v.Questions, v.Ends, nanos(v.Created)); err != nil {
			return err
		}
		return t.exec(`
			DELETE FROM push_subscriptions WHERE owner = $1 AND id NOT IN
			(SELECT id FROM push_subscriptions WHERE owner = $1 ORDER BY created DESC, id LIMIT $2)`, word(v.Owner), serverstore.MostPushSubscriptions)
	})
}

// PushSubscriptions implements serverstore.PushStore.
func (s *Store) PushSubscriptions(ctx context.Context, owner string) ([]serverstore.PushSubscription, error) {
	rows, err := s.readers.Query(ctx, `
		SELECT id, owner, token, endpoint, public_key, auth, questions, ends, created
		FROM push_subscriptions WHERE owner = $1 ORDER BY created DESC, id`, word(owner))
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (serverstore.PushSubscription, error) {
		var v serverstore.PushSubscription
		var created int64
		err := row.Scan((*word)(&v.ID), (*word)(&v.Owner), (*word)(&v.Token), (*word)(&v.Endpoint), &v.PublicKey, &v.Auth, &v.Questions, &v.Ends, &created)
		v.Created = fromNanos(created)
		return v, err
	})
	return all, s.explain(ctx, err)
}

// DeletePushSubscription implements serverstore.PushStore.
func (s *Store) DeletePushSubscription(ctx context.Context, owner, id string) error {
	return s.transact(ctx, func(t *tx) error {
		if err := t.beginTx(); err != nil {
			return err
		}
		deleted, err := t.affected(`DELETE FROM push_subscriptions WHERE owner = $1 AND id = $2`, word(owner), word(id))
		if err == nil && deleted == 0 {
			return serverstore.ErrNoSubscription
		}
		return err
	})
}

// PushKey implements serverstore.PushStore.
func (s *Store) PushKey(ctx context.Context, fresh []byte) (key []byte, err error) {
	err = s.transact(ctx, func(t *tx) error {
		if err := t.beginTx(); err != nil {
			return err
		}
		return t.exec(`INSERT INTO secrets (name, secret) VALUES ('push', $1) ON CONFLICT DO NOTHING`, fresh)
	})
	if err != nil {
		return nil, err
	}
	err = s.readers.QueryRow(ctx, `SELECT secret FROM secrets WHERE name = 'push'`).Scan(&key)
	return key, s.explain(ctx, err)
}
