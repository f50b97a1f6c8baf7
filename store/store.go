package store

import (
	"context"

	"github.com/bellcord/bellcord"
)

// Store persists sessions, turns and events. It decides every race between
// processes: each op is validated against the stored state in the transaction
// that applies it, and has its own result.
//
// A store is opened by one process, under one node id and epoch, which are
// recorded with the turns that the process claims. Every op of a turn is
// idempotent: if it is committed again because the first commit was not
// acknowledged, it changes nothing and returns the same result, except that
// Result.Events may be missing and that EditTurn appends its event again.
type Store interface {
	// Commit applies the ops in order, in one transaction, and returns one
	// result for each. An op with a value that the store cannot hold is rejected
	// alone, with ErrRejected. After an error the ops may or may not have been
	// applied; if it matches ErrNotCommitted, they have not. An error that matches
	// ErrStoreDown is about the store and not about the ops. Without ops, Commit
	// checks whether the store can be written.
	Commit(ctx context.Context, ops []Op) ([]Result, error)
	Reader
	Watcher
}

// Reader is the read-only part of a store.
type Reader interface {
	// Events returns up to limit events of a session after seq, in order.
	Events(ctx context.Context, session bellcord.SessionID, after int64, limit int) ([]bellcord.Event, error)
	// Tail returns the last sequence number of a session, 0 if it has no
	// events.
	Tail(ctx context.Context, session bellcord.SessionID) (int64, error)
	// Tails returns the result of Tail for many sessions, in their order.
	Tails(ctx context.Context, sessions []bellcord.SessionID) ([]int64, error)
	// Turn returns ErrNoTurn if the turn does not exist.
	Turn(ctx context.Context, id bellcord.TurnID) (TurnRecord, error)
	// UnendedTurns returns the turns of all processes that have not ended, in
	// the order they were accepted. An empty session selects all sessions.
	UnendedTurns(ctx context.Context, session bellcord.SessionID) ([]TurnRecord, error)
	// Session returns ErrNoSession if the session does not exist.
	Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error)
	// Sessions returns the selected sessions, the most recently updated first.
	Sessions(ctx context.Context, query SessionQuery) ([]bellcord.Session, error)
	// Spending returns the usage of ended turns, in the order of their ends.
	// The usage is kept when a session is deleted.
	Spending(ctx context.Context, query SpendingQuery) ([]Spending, error)
	// Receipts returns the receipts of ended turns, the last accepted turn
	// first. The receipts of a session are deleted with it.
	Receipts(ctx context.Context, query ReceiptQuery) ([]bellcord.Receipt, error)
}

// Watcher reports changes that other processes made to this process's turns.
type Watcher interface {
	// Changed reports whether other processes may have written to the store
	// since the previous call. It is cheap, so that callers can skip the other
	// methods. ErrFenced means that other processes have declared this one
	// dead, which is permanent.
	Changed(ctx context.Context) (bool, error)
	// RecordedStops returns this process's unended turns that have a recorded
	// stop.
	RecordedStops(ctx context.Context) ([]TurnRecord, error)
	// TakeOver moves the unended turns of dead processes to this one and
	// increments their fences. It returns them at every call until they have
	// ended. Turns of live processes are never moved.
	TakeOver(ctx context.Context) ([]TurnRecord, error)
}

// Scrubber is implemented by a Store that keeps copies of deleted data, for
// example in a write-ahead log. Scrub removes these copies, or returns an error
// if ctx ends first. It blocks only its caller.
type Scrubber interface {
	Scrub(ctx context.Context) error
}
