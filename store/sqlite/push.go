package sqlite

import (
	"context"

	"github.com/bellcord/bellcord/internal/serverstore"
)

var _ serverstore.PushStore = (*Store)(nil)

// PutPushSubscription implements serverstore.PushStore.
func (s *Store) PutPushSubscription(ctx context.Context, v serverstore.PushSubscription) error {
	return s.transact(ctx, func(t tx) error {
		if err := t.exec(`
			INSERT OR REPLACE INTO push_subscriptions (id, owner, token, endpoint, public_key, auth, questions, ends, created)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			v.ID, v.Owner, v.Token, v.Endpoint, v.PublicKey, v.Auth, v.Questions, v.Ends, nanos(v.Created)); err != nil {
			return err
		}
		return t.exec(`
			DELETE FROM push_subscriptions WHERE owner = $1 AND id NOT IN
			(SELECT id FROM push_subscriptions WHERE owner = $1 ORDER BY created DESC, id LIMIT $2)`, v.Owner, serverstore.MostPushSubscriptions)
	})
}

// PushSubscriptions implements serverstore.PushStore.
func (s *Store) PushSubscriptions(ctx context.Context, owner string) ([]serverstore.PushSubscription, error) {
	rows, err := s.query(ctx, `
		SELECT id, owner, token, endpoint, public_key, auth, questions, ends, created
		FROM push_subscriptions WHERE owner = $1 ORDER BY created DESC, id`, owner)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []serverstore.PushSubscription
	for rows.Next() {
		var v serverstore.PushSubscription
		var created int64
		if err := rows.Scan(&v.ID, &v.Owner, &v.Token, &v.Endpoint, &v.PublicKey, &v.Auth, &v.Questions, &v.Ends, &created); err != nil {
			return nil, err
		}
		v.Created = fromNanos(created)
		all = append(all, v)
	}
	return all, explain(rows.Err())
}

// DeletePushSubscription implements serverstore.PushStore.
func (s *Store) DeletePushSubscription(ctx context.Context, owner, id string) error {
	return s.transact(ctx, func(t tx) error {
		deleted, err := t.affected(`DELETE FROM push_subscriptions WHERE owner = $1 AND id = $2`, owner, id)
		if err == nil && deleted == 0 {
			return serverstore.ErrNoSubscription
		}
		return err
	})
}

// PushKey implements serverstore.PushStore.
func (s *Store) PushKey(ctx context.Context, fresh []byte) (key []byte, err error) {
	err = s.transact(ctx, func(t tx) error {
		if err := t.exec(`INSERT OR IGNORE INTO secrets (name, secret) VALUES ('push', $1)`, fresh); err != nil {
			return err
		}
		return t.row(`SELECT secret FROM secrets WHERE name = 'push'`).Scan(&key)
	})
	return key, err
}
