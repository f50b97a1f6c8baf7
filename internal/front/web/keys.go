package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// errKeyUsed answers an Idempotency-Key that has come with another request.
var errKeyUsed = errors.New("this Idempotency-Key was used for another request")

// keyed names what an Idempotency-Key makes: the same caller and key, the same
// id. The store is then what remembers it, so it holds over a restart.
func keyed(ctx context.Context, what, key string) string {
	sum := sha256.Sum256([]byte(what + "\x00" + caller(ctx).Owner + "\x00" + key))
	id := sum[:16]
	id[6] = id[6]&0x0f | 0x80 // version 8: our own making
	id[8] = id[8]&0x3f | 0x80
	text := hex.EncodeToString(id)
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
