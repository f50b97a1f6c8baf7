package hub

import (
	"context"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// RecordChanges records the changes of a turn that has ended.
func (h *Hub) RecordChanges(ctx context.Context, session bellcord.SessionID, c bellcord.ChangesRecorded) error {
	return h.appendToSession(ctx, session, c)
}

// RecordProcesses records the processes of a turn that a dead process left behind.
func (h *Hub) RecordProcesses(ctx context.Context, session bellcord.SessionID, p bellcord.ProcessesRecovered) error {
	return h.appendToSession(ctx, session, p)
}

// RecordUndo records an undo or a redo of files.
func (h *Hub) RecordUndo(ctx context.Context, session bellcord.SessionID, u bellcord.Undone) error {
	return h.appendToSession(ctx, session, u)
}

// appendToSession records an event of a session that belongs to no running turn.
func (h *Hub) appendToSession(ctx context.Context, session bellcord.SessionID, b bellcord.Body) error {
	return h.commit(ctx, store.AppendEvents{Session: session, Bodies: []bellcord.Body{b}, At: h.now()})
}

// following runs functions that outlive their turns.
type following struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	closed bool
	all    sync.WaitGroup
}

func newFollowing() *following {
	f := &following{}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	return f
}

// run starts a function. After wait, it does nothing.
func (f *following) run(do func(context.Context)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.all.Go(func() { do(f.ctx) })
	}
}

// wait blocks until all functions have returned. When ctx ends, it cancels their
// context.
func (f *following) wait(ctx context.Context) {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	defer context.AfterFunc(ctx, f.cancel)()
	f.all.Wait()
	f.cancel()
}
