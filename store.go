package bellcord

import (
	"context"
	"time"
)

// Store keeps what must survive. It is the judge of every race between
// processes: each op is checked against what is stored, in the same
// transaction that carries it out, and answered on its own.
//
// A store is opened by one process, under one node id and epoch; what that
// process claims carries them. Every op of a turn is idempotent: committed
// again, because its first commit was not acknowledged, it changes nothing and
// is answered the same way, except that Result.Events may be missing.
type Store interface {
	// Commit carries out the ops in order, in one transaction, and answers each.
	// An error means that none of them is known to have happened; ErrNotCommitted,
	// that none of them has. Without ops it tries whether the store takes writes.
	Commit(ctx context.Context, ops []Op) ([]Result, error)
	Reader
	Watcher
}

// Reader is the part of a store that changes nothing.
type Reader interface {
	// Events returns up to limit events of a session after seq, in order.
	Events(ctx context.Context, session SessionID, after int64, limit int) ([]Event, error)
	// Tail returns the newest sequence number of a session, 0 when it has none.
	Tail(ctx context.Context, session SessionID) (int64, error)
	// Tails is Tail for many sessions at once, in their order.
	Tails(ctx context.Context, sessions []SessionID) ([]int64, error)
	Turn(ctx context.Context, id TurnID) (TurnRecord, error)
	// UnendedTurns returns the turns of all processes that have not ended, in the
	// order they were accepted: of one session, of all where none is named.
	UnendedTurns(ctx context.Context, session SessionID) ([]TurnRecord, error)
	Session(ctx context.Context, id SessionID) (Session, error)
	// Sessions lists the most recently updated first.
	Sessions(ctx context.Context, query SessionQuery) ([]Session, error)
	// Spending lists what ended turns used, in the order of their ends. It is
	// kept when a session is deleted.
	Spending(ctx context.Context, query SpendingQuery) ([]Spending, error)
}

// Watcher is how a process learns what others did to its turns.
type Watcher interface {
	// Changed reports whether other processes may have written since it was last
	// asked. It is cheap, so that looking for the rest can be spared. ErrFenced
	// means that this process was taken for dead, which is for good.
	Changed(ctx context.Context) (bool, error)
	// RecordedStops returns this process's unended turns that have a stop on record.
	RecordedStops(ctx context.Context) ([]TurnRecord, error)
	// TakeOver moves the unended turns of dead processes to this one, their
	// fences raised, and returns them, at every call until they have ended. A
	// live process's turns are never taken.
	TakeOver(ctx context.Context) ([]TurnRecord, error)
}

// SessionQuery selects sessions: of one directory, of one owner (all when
// empty), those that a listing has behind the given one (all when zero), at most
// Limit (all when 0).
type SessionQuery struct {
	Dir      string
	Owner    string
	Before   time.Time // its update
	BeforeID SessionID // its id, for those updated at the same moment
	Limit    int
}

// TurnState of a turn as the store sees it.
type TurnState string

// The stored states.
const (
	StateQueued  TurnState = "queued"
	StateRunning TurnState = "running"
	StateEnded   TurnState = "ended"
)

// TurnRecord is a turn as the store has it.
type TurnRecord struct {
	ID       TurnID
	Session  SessionID
	State    TurnState
	Fence    int64
	FirstSeq int64 // sequence number of its TurnAccepted event
	Accepted time.Time
	Node     string   // the process that has it, as the store calls it
	Prompt   Prompt   // without its images, which the event has
	Stop     *Cause   // the stop on record, if any
	Receipt  *Receipt // once ended
}

// Scrubber is a Store that keeps copies of what was deleted, such as a write-ahead
// log. Scrub removes them, or returns an error when ctx ends before it could.
// Nothing waits for it but its caller.
type Scrubber interface {
	Scrub(ctx context.Context) error
}

// Op is one thing to make durable. The set is closed.
type Op interface{ isOp() }

type (
	// PutSession creates or updates a session; with Existing it refuses to
	// bring back one that is gone.
	PutSession struct {
		Session  Session
		Existing bool
	}
	// DeleteSession removes a session with all that it has.
	DeleteSession struct{ ID SessionID }
	// AcceptTurn records a turn as queued, with its TurnAccepted event. A stop that
	// was kept for its id becomes the turn's own and is answered as Result.Stop.
	AcceptTurn struct {
		Session SessionID
		Turn    TurnID
		Prompt  Prompt
		At      time.Time
	}
	// ClaimTurn starts a queued turn, with its TurnStarted event, unless another
	// turn of its session runs (ErrBusy) or this process has been fenced off.
	ClaimTurn struct {
		Session SessionID
		Turn    TurnID
		At      time.Time
	}
	// AppendEvents adds to a running turn. N counts a turn's appends from 1.
	// Refused with ErrFenced when the turn has ended or is another process's.
	// With no turn it adds to the session; such events say how things are, not
	// what happened, so one that is added twice does no harm.
	AppendEvents struct {
		Session SessionID
		Turn    TurnID
		Fence   int64
		N       int64
		Bodies  []Body
		At      time.Time
	}
	// EditTurn changes the text of one that waits, with its PromptEdited event.
	// Refused with ErrFenced when it no longer does, or is another process's.
	EditTurn struct {
		Session SessionID
		Turn    TurnID
		Text    string
		At      time.Time
	}
	// RecordStop records a stop for a turn, with its StopRequested event, or keeps it
	// for EarlyStopLifetime when there is no such turn yet. Of several stops the first
	// stays, except that one that cuts now overrules one that waits for a step.
	// With an owner it is refused with ErrNoTurn for a turn of somebody else's
	// session, and kept only for one of the owner's own.
	RecordStop struct {
		Turn  TurnID
		Owner string
		Cause Cause
	}
	// RecordStops records a stop for the turns of other processes in a scope, as it
	// was when the stop was asked for: the running ones of a session (of all
	// where none is named) that an owner has (anybody, where none is named), and
	// with Drop those that wait. They are answered as Result.Records, as are those
	// that this very stop has ended before: it may have come another way, too.
	RecordStops struct {
		Session SessionID
		Owner   string
		Drop    bool
		Cause   Cause
	}
	// FinishTurn writes a turn's one end, with its TurnEnded event and its
	// spendings, as the receipt has them. Refused with
	// ErrStopRecorded (and Result.Stop) when a stop that cuts now is on record and
	// the receipt says anything but stopped: the row decides every race.
	FinishTurn struct {
		Session SessionID
		Turn    TurnID
		Fence   int64
		Receipt Receipt
		At      time.Time
	}
)

// StoppedBy is when the stop was asked for that ended the turn, in nanoseconds
// since 1970; nil where none did.
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

// Result answers one op.
type Result struct {
	Err    error       // why the op was refused
	Events []Event     // what it added to the log
	Fence  int64       // of a claim
	Stop   *Cause      // the stop on the turn's record
	Record *TurnRecord // of RecordStop: the turn, nil when there is none yet

	Records []TurnRecord // of RecordStops: the turns, as they were before
}

// EarlyStopLifetime is how long a stop waits for a turn that has not come.
const EarlyStopLifetime = 10 * time.Minute
