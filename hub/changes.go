package hub

import (
	"context"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// SetChanges sets the changes to files that the turn's receipt contains.
func (w *Work) SetChanges(c bellcord.Changes) {
	w.turn.mu.Lock()
	w.turn.tally.SetChanges(c)
	w.turn.mu.Unlock()
}

// FollowChanges sets the receipt's changes to pending. When the turn has settled
// and wait has returned, the hub records the result of wait as an event of the
// session. FollowChanges does not block. Hub.Close waits for the event as long as
// its context allows, and then cancels the context of wait.
func (w *Work) FollowChanges(wait func(context.Context) (bellcord.Changes, error)) {
	w.SetChanges(bellcord.Changes{Pending: true})
	w.hub.following.run(func(ctx context.Context) {
		changes, err := wait(ctx)
		if err != nil {
			return // the changes are found by the next start
		}
		select {
		case <-w.turn.settled:
		case <-ctx.Done():
			return
		}
		if err := w.hub.RecordChanges(ctx, w.Session.ID, bellcord.ChangesRecorded{Turn: w.Turn, Changes: changes}); err != nil {
			w.hub.logger.Error("the changes of a turn are not recorded", "session", w.Session.ID, "turn", w.Turn, "err", err)
		}
	})
}

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
