package laws_test

import (
	"context"
	"net"
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

// pipes hands one end of a net.Pipe to whoever accepts: a synctest bubble sees
// when everyone waits.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *pipes) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Accept implements net.Listener.
func (l *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *pipes) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr implements net.Listener.
func (l *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "laws", Net: "pipe"} }
