package serverstore

import (
	"context"
	"errors"
	"time"
)

// PushSubscription is the address at which a browser receives messages while
// the page is closed, with the keys that encrypt them. It ends with its token.
type PushSubscription struct {
	ID        string // hash of Endpoint: a browser that subscribes again replaces its subscription
	Owner     string
	Token     string // id of the token that subscribed
	Endpoint  string // URL at the push service of the browser's maker; a secret
	PublicKey []byte // the browser's P-256 key, uncompressed ("p256dh")
	Auth      []byte // the browser's authentication secret
	Questions bool   // send a message when a turn waits for an answer
	Ends      bool   // send a message when a turn has ended
	Created   time.Time
}

// MostPushSubscriptions is the maximum number of subscriptions of an owner.
const MostPushSubscriptions = 10

// ErrNoSubscription is returned for a push subscription that does not exist.
var ErrNoSubscription = errors.New("no such push subscription")

// PushStore stores push subscriptions, and the key that signs push messages.
type PushStore interface {
	// PutPushSubscription adds a subscription, or replaces the one with its id.
	// It deletes the oldest subscriptions of the owner above
	// MostPushSubscriptions.
	PutPushSubscription(ctx context.Context, s PushSubscription) error
	// PushSubscriptions returns the subscriptions of an owner, the newest first.
	PushSubscriptions(ctx context.Context, owner string) ([]PushSubscription, error)
	// DeletePushSubscription returns ErrNoSubscription if the owner has no such
	// subscription.
	DeletePushSubscription(ctx context.Context, owner, id string) error
	// PushKey returns the stored key. Without one, it stores fresh and returns
	// it. All processes that share the store get the same key.
	PushKey(ctx context.Context, fresh []byte) ([]byte, error)
}
