package store

import (
	"time"

	"github.com/bellcord/bellcord"
)

// Commit describes one commit: the number of ops, its duration, and the events
// that became durable.
type Commit struct {
	Ops    int
	Took   time.Duration
	Events []bellcord.Event
}

// Op is one change to the store. The set is closed.
type Op interface{ isOp() }

type (
	// PutSession creates or updates a session. With Existing it only updates the
	// settings that differ from Was, so that it keeps those that another process
	// has changed. It is then rejected with ErrNoSession if the session does not
	// exist.
	PutSession struct {
		Session  bellcord.Session
		Was      bellcord.Session // the session before the update; only with Existing
		Existing bool
	}
	// DeleteSession removes a session with its turns and events.
	DeleteSession struct{ ID bellcord.SessionID }
	// AcceptTurn records a turn as queued and appends its TurnAccepted event.
	// An early stop that was stored for its id becomes the turn's stop and is
	// returned as Result.Stop. It is rejected with ErrTurnExists if the id is
	// taken, with ErrNoSession if the session does not exist, and with
	// ErrFenced if this process has been declared dead.
	AcceptTurn struct {
		Session bellcord.SessionID
		Turn    bellcord.TurnID
		Prompt  bellcord.Prompt
		At      time.Time
	}
	// ClaimTurn starts a queued turn and appends its TurnStarted event. It is
	// rejected with ErrBusy if another turn of the session is running, and with
	// ErrFenced if the turn is no longer queued or belongs to another process.
	ClaimTurn struct {
		Session bellcord.SessionID
		Turn    bellcord.TurnID
		At      time.Time
	}
	// AppendEvents appends events to a running turn. N counts the turn's
	// appends from 1. It is rejected with ErrFenced if the turn is not running
	// or belongs to another process, or if an append before N is missing. If it is
	// rejected because of its bodies, N counts as appended.
	// Without a turn it appends to the session; such events describe a state,
	// so a duplicate is harmless.
	AppendEvents struct {
		Session bellcord.SessionID
		Turn    bellcord.TurnID
		Fence   int64
		N       int64
		Bodies  []bellcord.Body
		At      time.Time
	}
	// EditTurn changes the text of a queued turn and appends its PromptEdited
	// event. It is rejected with ErrFenced if the turn is no longer queued or
	// belongs to another process.
	EditTurn struct {
		Session bellcord.SessionID
		Turn    bellcord.TurnID
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
		Turn  bellcord.TurnID
		Owner string
		Cause bellcord.Cause
	}
	// RecordStops records a stop for turns of other processes, and for those
	// that this process has taken over: the running turns of a session and an
	// owner (empty: all), and with Drop also the queued ones, as of the time of
	// the stop. Result.Records contains them, including those that the same stop
	// has already ended, because it may also have arrived another way.
	RecordStops struct {
		Session bellcord.SessionID
		Owner   string
		Drop    bool
		Cause   bellcord.Cause
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
		Session bellcord.SessionID
		Turn    bellcord.TurnID
		Fence   int64
		Receipt bellcord.Receipt
		At      time.Time
	}
)

// StoppedBy returns the time of the stop that ended the turn, in nanoseconds
// since 1970, or nil if no stop did.
func (op FinishTurn) StoppedBy() *int64 {
	if op.Receipt.End != bellcord.EndStopped || op.Receipt.Cause == nil {
		return nil
	}
	at := op.Receipt.Cause.At.UnixNano()
	return &at
}

func (PutSession) isOp() {}

func (DeleteSession) isOp() {}

func (AcceptTurn) isOp() {}

func (ClaimTurn) isOp() {}

func (AppendEvents) isOp() {}

func (EditTurn) isOp() {}

func (RecordStop) isOp() {}

func (RecordStops) isOp() {}

func (FinishTurn) isOp() {}

// Result is the result of one op.
type Result struct {
	Err    error            // reason for the rejection, nil if the op was applied
	Events []bellcord.Event // events that the op appended
	Fence  int64            // set by ClaimTurn
	Stop   *bellcord.Cause  // stop that is recorded for the turn
	Record *TurnRecord      // set by RecordStop: the turn, nil if it does not exist yet

	Records []TurnRecord // set by RecordStops: the turns as they were before
}

// EarlyStopLifetime is how long an early stop is stored for a turn that has not
// arrived.
const EarlyStopLifetime = 10 * time.Minute

// MaxEarlyStops is the number of early stops that are stored for each owner: the
// newest. Stops are not rate-limited, and each names a turn that may never arrive.
const MaxEarlyStops = 1000
