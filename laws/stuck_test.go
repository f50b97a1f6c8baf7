package laws_test

import (
	"context"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/serverstore"
)

// stuckTokens is the store's TokenStore with writes that can be blocked, as
// when another process locks the database.
type stuckTokens struct {
	serverstore.TokenStore
	mu   sync.Mutex
	pass chan struct{} // nil: writes are not blocked
}

func (t *stuckTokens) stick() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass = make(chan struct{})
}

func (t *stuckTokens) open() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pass != nil {
		close(t.pass)
		t.pass = nil
	}
}

// TouchToken implements serverstore.TokenStore.
func (t *stuckTokens) TouchToken(ctx context.Context, id string, at time.Time) error {
	t.mu.Lock()
	pass := t.pass
	t.mu.Unlock()
	if pass != nil {
		<-pass
	}
	return t.TokenStore.TouchToken(ctx, id, at)
}
