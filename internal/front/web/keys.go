package web

import (
	"context"
	"errors"

	"github.com/bellcord/bellcord"
)

// errKeyUsed means that the Idempotency-Key was used with a different request.
var errKeyUsed = errors.New("this Idempotency-Key was already used for a different request")

// keyed derives an ID from an Idempotency-Key: the same caller and key give the
// same ID. Because the store contains the ID, the key stays valid across
// restarts.
func keyed(ctx context.Context, what, key string) string {
	return bellcord.NamedID(what + "\x00" + caller(ctx).Owner + "\x00" + key)
}
