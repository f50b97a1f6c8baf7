package push

import (
	"context"
	"errors"
	"time"

	"github.com/bellcord/bellcord/internal/serverstore"
)

// Key returns the public key of this server, which a browser needs to subscribe.
func (n *Notifier) Key(ctx context.Context) (string, error) {
	key, err := n.signer(ctx)
	if err != nil {
		return "", err
	}
	return key.public, nil
}

// signer returns the signer with the stored key. The first call on a store
// creates the key.
func (n *Notifier) signer(ctx context.Context) (*signer, error) {
	n.mu.Lock()
	had := n.key
	n.mu.Unlock()
	if had != nil {
		return had, nil
	}
	fresh, err := newKey()
	if err != nil {
		return nil, err
	}
	stored, err := n.store.PushKey(ctx, fresh)
	if err != nil {
		return nil, err
	}
	key, err := newSigner(stored)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.key = key
	return key, nil
}

// Subscribe stores a subscription and returns it with its id. The error matches
// ErrInvalid if messages cannot be sent to it.
func (n *Notifier) Subscribe(ctx context.Context, v serverstore.PushSubscription) (serverstore.PushSubscription, error) {
	if err := n.check(v); err != nil {
		return v, err
	}
	v.ID, v.Created = idOf(v.Endpoint), time.Now()
	return v, n.store.PutPushSubscription(ctx, v)
}

// Subscriptions returns the subscriptions of an owner.
func (n *Notifier) Subscriptions(ctx context.Context, owner string) ([]serverstore.PushSubscription, error) {
	return n.store.PushSubscriptions(ctx, owner)
}

// Unsubscribe deletes a subscription.
func (n *Notifier) Unsubscribe(ctx context.Context, owner, id string) error {
	return n.store.DeletePushSubscription(ctx, owner, id)
}

// Test sends a message to one browser and waits for the push service. The error
// matches ErrNotSent if the service did not accept the message.
func (n *Notifier) Test(ctx context.Context, owner, id string) error {
	all, err := n.store.PushSubscriptions(ctx, owner)
	if err != nil {
		return err
	}
	for _, to := range all {
		if to.ID != id {
			continue
		}
		err := n.send(ctx, to, Message{Kind: kindTest})
		if errors.Is(err, errGone) {
			err = errors.Join(err, n.remove(ctx, to))
		}
		return err
	}
	return serverstore.ErrNoSubscription
}
