package laws_test

import (
	"context"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/auth"
)

// stuckTokens is the store's tokens, whose writing can be made to hang as it does
// when another process holds the database.
type stuckTokens struct {
	auth.Store
	mu   sync.Mutex
	pass chan struct{} // nil: nothing hangs
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

// TouchToken implements auth.Store.
func (t *stuckTokens) TouchToken(ctx context.Context, id string, at time.Time) error {
	t.mu.Lock()
	pass := t.pass
	t.mu.Unlock()
	if pass != nil {
		<-pass
	}
	return t.Store.TouchToken(ctx, id, at)
}
