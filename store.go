package bellcord

import (
	"context"
	"time"
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
	Events(ctx context.Context, session SessionID, after int64, limit int) ([]Event, error)
	// Tail returns the last sequence number of a session, 0 if it has no
	// events.
	Tail(ctx context.Context, session SessionID) (int64, error)
	// Tails returns the result of Tail for many sessions, in their order.
	Tails(ctx context.Context, sessions []SessionID) ([]int64, error)
	// Turn returns ErrNoTurn if the turn does not exist.
	Turn(ctx context.Context, id TurnID) (TurnRecord, error)
	// UnendedTurns returns the turns of all processes that have not ended, in
	// the order they were accepted. An empty session selects all sessions.
	UnendedTurns(ctx context.Context, session SessionID) ([]TurnRecord, error)
	// Session returns ErrNoSession if the session does not exist.
	Session(ctx context.Context, id SessionID) (Session, error)
	// Sessions returns the selected sessions, the most recently updated first.
	Sessions(ctx context.Context, query SessionQuery) ([]Session, error)
	// Spending returns the usage of ended turns, in the order of their ends.
	// The usage is kept when a session is deleted.
	Spending(ctx context.Context, query SpendingQuery) ([]Spending, error)
	// Receipts returns the receipts of ended turns, the last accepted turn
	// first. The receipts of a session are deleted with it.
	Receipts(ctx context.Context, query ReceiptQuery) ([]Receipt, error)
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

// SessionQuery selects sessions. Dir and Owner select all if empty. Before and
// BeforeID are the position of the last session of the previous page, zero for
// the first page. Limit 0 means no limit.
type SessionQuery struct {
	Dir      string
	Owner    string
	Before   time.Time // that session's Updated time
	BeforeID SessionID // that session's id, for sessions with the same Updated time
	Limit    int
}

// ReceiptQuery selects the receipts of ended turns. Session, Owner and Turn
// select all if empty. Limit 0 means no limit.
type ReceiptQuery struct {
	Session SessionID
	Owner   string
	Turn    string // beginning or end of the turn's id, in any case
	Limit   int
}

// TurnState is the state of a turn in the store.
type TurnState string

// The stored states.
const (
	StateQueued  TurnState = "queued"
	StateRunning TurnState = "running"
	StateEnded   TurnState = "ended"
)

// TurnRecord is a turn as it is stored.
type TurnRecord struct {
	ID       TurnID
	Session  SessionID
	State    TurnState
	Fence    int64
	FirstSeq int64 // sequence number of its TurnAccepted event
	Accepted time.Time
	Node     string   // id of the process that has the turn
	Prompt   Prompt   // without its images, which are in the event
	Stop     *Cause   // the recorded stop, if any
	Receipt  *Receipt // set once the turn has ended
	RanOn    string   // set by TakeOver: the name of the dead node that ran the turn, if the store has it
}

// Scrubber is implemented by a Store that keeps copies of deleted data, for
// example in a write-ahead log. Scrub removes these copies, or returns an error
// if ctx ends first. It blocks only its caller.
type Scrubber interface {
	Scrub(ctx context.Context) error
}

// UsageSummer is implemented by a Store that can add up usage without returning the
// usage of every turn.
type UsageSummer interface {
	// SumUsage returns the sum of what Spending returns.
	SumUsage(ctx context.Context, query SpendingQuery) (UsageSum, error)
}

// UsageSum is the usage of turns, by model, in the order in which the models were
// used first.
type UsageSum struct {
	Turns  int
	Models []ModelUsage
}

// SumUsage adds up the usage of turns.
func SumUsage(all []Spending) UsageSum {
	var sum UsageSum
	turns, place := map[TurnID]bool{}, map[string]int{}
	for _, v := range all {
		turns[v.Turn] = true
		i, known := place[v.Model]
		if !known {
			i = len(sum.Models)
			place[v.Model] = i
			sum.Models = append(sum.Models, ModelUsage{Model: v.Model, Usage: Usage{Exact: true}})
		}
		sum.Models[i].Usage = sum.Models[i].Add(v.Usage)
	}
	sum.Turns = len(turns)
	return sum
}

// Op is one change to the store. The set is closed.
type Op interface{ isOp() }

type (
	// PutSession creates or updates a session. With Existing it only updates the
	// settings that differ from Was, so that it keeps those that another process
	// has changed. It is then rejected with ErrNoSession if the session does not
	// exist.
	PutSession struct {
		Session  Session
		Was      Session // the session before the update; only with Existing
		Existing bool
	}
	// DeleteSession removes a session with its turns and events.
	DeleteSession struct{ ID SessionID }
	// AcceptTurn records a turn as queued and appends its TurnAccepted event.
	// An early stop that was stored for its id becomes the turn's stop and is
	// returned as Result.Stop. It is rejected with ErrTurnExists if the id is
	// taken, with ErrNoSession if the session does not exist, and with
	// ErrFenced if this process has been declared dead.
	AcceptTurn struct {
		Session SessionID
		Turn    TurnID
		Prompt  Prompt
		At      time.Time
	}
	// ClaimTurn starts a queued turn and appends its TurnStarted event. It is
	// rejected with ErrBusy if another turn of the session is running, and with
	// ErrFenced if the turn is no longer queued or belongs to another process.
	ClaimTurn struct {
		Session SessionID
		Turn    TurnID
		At      time.Time
	}
	// AppendEvents appends events to a running turn. N counts the turn's
	// appends from 1. It is rejected with ErrFenced if the turn is not running
	// or belongs to another process, or if an append before N is missing. If it is
	// rejected because of its bodies, N counts as appended.
	// Without a turn it appends to the session; such events describe a state,
	// so a duplicate is harmless.
	AppendEvents struct {
		Session SessionID
		Turn    TurnID
		Fence   int64
		N       int64
		Bodies  []Body
		At      time.Time
	}
	// EditTurn changes the text of a queued turn and appends its PromptEdited
	// event. It is rejected with ErrFenced if the turn is no longer queued or
	// belongs to another process.
	EditTurn struct {
		Session SessionID
		Turn    TurnID
		Text    string
		At      time.Time
	}
	// RecordStop records a stop for a turn and appends its StopRequested event.
	// If the turn does not exist yet, the stop is stored for EarlyStopLifetime,
	// as one of MaxEarlyStops.
	// The first of several stops is kept, except that an immediate stop
	// replaces one that waits for the end of a step; a later StopForce only
	// changes the mode of the first. With an Owner it is rejected with
	// ErrNoTurn for a turn in another owner's session, and an early stop
	// applies only to that owner's turns.
	RecordStop struct {
		Turn  TurnID
		Owner string
		Cause Cause
	}
	// RecordStops records a stop for turns of other processes, and for those
	// that this process has taken over: the running turns of a session and an
	// owner (empty: all), and with Drop also the queued ones, as of the time of
	// the stop. Result.Records contains them, including those that the same stop
	// has already ended, because it may also have arrived another way.
	RecordStops struct {
		Session SessionID
		Owner   string
		Drop    bool
		Cause   Cause
		// Uncertainty is the largest error of Cause.At. Turns accepted within it
		// after Cause.At are included: a turn whose prompt is sent after this op was
		// answered is not stored yet when the op is applied (law 1).
		Uncertainty time.Duration
	}
	// FinishTurn writes a turn's one end, appends its TurnEnded event and
	// records its spending from the receipt. It is rejected with
	// ErrStopRecorded (and Result.Stop) if an immediate stop is recorded and
	// the receipt's end is not EndStopped: the stored row decides every race.
	// It is rejected with ErrFenced if the turn has another end or belongs to
	// another process.
	FinishTurn struct {
		Session SessionID
		Turn    TurnID
		Fence   int64
		Receipt Receipt
		At      time.Time
	}
)

// StoppedBy returns the time of the stop that ended the turn, in nanoseconds
// since 1970, or nil if no stop did.
func (op FinishTurn) StoppedBy() *int64 {
	if op.Receipt.End != EndStopped || op.Receipt.Cause == nil {
		return nil
	}
	at := op.Receipt.Cause.At.UnixNano()
	return &at
}

func (PutSession) isOp()    {}
func (DeleteSession) isOp() {}
func (AcceptTurn) isOp()    {}
func (ClaimTurn) isOp()     {}
func (AppendEvents) isOp()  {}
func (EditTurn) isOp()      {}
func (RecordStop) isOp()    {}
func (RecordStops) isOp()   {}
func (FinishTurn) isOp()    {}

// Result is the result of one op.
type Result struct {
	Err    error       // reason for the rejection, nil if the op was applied
	Events []Event     // events that the op appended
	Fence  int64       // set by ClaimTurn
	Stop   *Cause      // stop that is recorded for the turn
	Record *TurnRecord // set by RecordStop: the turn, nil if it does not exist yet

	Records []TurnRecord // set by RecordStops: the turns as they were before
}

// EarlyStopLifetime is how long an early stop is stored for a turn that has not
// arrived.
const EarlyStopLifetime = 10 * time.Minute

// MaxEarlyStops is the number of early stops that are stored for each owner: the
// newest. Stops are not rate-limited, and each names a turn that may never arrive.
const MaxEarlyStops = 1000
