package web

import (
	"context"
	"errors"

	"github.com/bellcord/bellcord"
)

// errKeyUsed answers an Idempotency-Key that has come with another request.
var errKeyUsed = errors.New("this Idempotency-Key was already used for a different request")

// keyed names what an Idempotency-Key makes: the same caller and key, the same
// id. The store is then what remembers it, so it holds over a restart.
func keyed(ctx context.Context, what, key string) string {
	return bellcord.NamedID(what + "\x00" + caller(ctx).Owner + "\x00" + key)
}
