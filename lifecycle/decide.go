package lifecycle

import (
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Facts is the state that a store has read for an op, under the locks that it
// holds while it applies the op.
type Facts struct {
	Alive   bool   // the node of the op is registered, so no other node has taken over its turns
	Session bool   // the op's session exists
	Owner   string // owner of the turn's session
	Turn    *Turn  // nil if the turn does not exist
	Busy    bool   // another turn of the session is running

	// Stops recorded before the turn existed: without an owner, and with the
	// session's owner. For a RecordStop, Early is the one with the op's owner.
	Early      *bellcord.Cause
	EarlyOwner *bellcord.Cause
}

// Turn is the stored state of a turn.
type Turn struct {
	Session  bellcord.SessionID
	State    bellcord.TurnState
	Own      bool  // the node of the op owns the turn
	Fence    int64 // incremented by every claim and takeover
	Applied  int64 // number of the last append
	Accepted int64 // time of the accept, in nanoseconds since 1970; identifies the op
	Claimed  int64 // time of the claim, likewise
	Stop     *bellcord.Cause
	// SameReceipt reports whether the turn has ended with the op's receipt.
	SameReceipt bool
}

// Decision is the outcome of an op. If Err is nil and Apply is false, the op was
// applied before or has nothing to change.
type Decision struct {
	Err   error           // why the op is rejected
	Apply bool            // the store must apply the op
	Stop  *bellcord.Cause // the turn's stop after the op; for a turn that does not exist, the stop to keep for it
	Event bool            // Stop is new, so a StopRequested event is appended
	Fence int64           // the fence of a claim
}

func refuse(err error) Decision { return Decision{Err: err} }

// Decide returns the decision for an op on a turn. For all other ops it returns
// the zero Decision.
func Decide(f Facts, op store.Op) Decision {
	switch op := op.(type) {
	case store.AcceptTurn:
		return Accept(f, op)
	case store.ClaimTurn:
		return Claim(f, op)
	case store.AppendEvents:
		return Append(f, op)
	case store.EditTurn:
		return Edit(f, op)
	case store.RecordStop:
		return RecordStop(f, op)
	case store.FinishTurn:
		return Finish(f, op)
	}
	return Decision{}
}

// Accept decides whether a turn is recorded as queued. A stop that was kept for
// the turn becomes its stop.
func Accept(f Facts, op store.AcceptTurn) Decision {
	if t := f.Turn; t != nil {
		if t.Own && t.Session == op.Session && t.Accepted == op.At.UnixNano() {
			return Decision{Stop: t.Stop} // the same op, committed before
		}
		return refuse(bellcord.ErrTurnExists)
	}
	if !f.Alive { // no node would ever end the turn
		return refuse(store.ErrFenced)
	}
	if !f.Session {
		return refuse(bellcord.ErrNoSession)
	}
	stop := Prevailing(f.Early, f.EarlyOwner)
	if stop != nil {
		now := BeforeStart(*stop)
		return Decision{Apply: true, Stop: &now, Event: true}
	}
	return Decision{Apply: true}
}

// owns reports whether the turn exists in the session and belongs to the node of
// the op.
func (f Facts) owns(session bellcord.SessionID) bool {
	if f.Turn == nil {
		return false
	}
	if f.Turn.Session != session {
		return false
	}
	return f.Turn.Own
}

// holds reports whether a write has the turn's fence: it comes from the node that
// owns the turn, under its current claim.
func (f Facts) holds(session bellcord.SessionID, fence int64) bool {
	if !f.owns(session) {
		return false
	}
	return f.Turn.Fence == fence
}

// Claim decides whether a queued turn starts. It does not check whether the node
// is alive, because a takeover that removes a node also moves its unended turns.
func Claim(f Facts, op store.ClaimTurn) Decision {
	if !f.owns(op.Session) {
		return refuse(store.ErrFenced)
	}
	t := f.Turn
	if t.State != bellcord.StateQueued && t.Claimed == op.At.UnixNano() {
		return Decision{Fence: t.Fence, Stop: t.Stop} // the same op, committed before
	}
	if t.State != bellcord.StateQueued {
		return refuse(store.ErrFenced)
	}
	if f.Busy {
		return refuse(bellcord.ErrBusy)
	}
	return Decision{Apply: true, Fence: t.Fence + 1, Stop: t.Stop}
}

// Append decides whether events are appended to a running turn.
func Append(f Facts, op store.AppendEvents) Decision {
	if !f.holds(op.Session, op.Fence) {
		return refuse(store.ErrFenced)
	}
	t := f.Turn
	if op.N > 0 && t.Applied >= op.N {
		return Decision{Stop: t.Stop} // already in the log
	}
	if t.State != bellcord.StateRunning {
		return refuse(store.ErrFenced)
	}
	if t.Applied != op.N-1 {
		return refuse(store.ErrFenced)
	}
	return Decision{Apply: true, Stop: t.Stop}
}

// Edit decides whether the text of a turn changes. It can only change while the
// turn is queued.
func Edit(f Facts, op store.EditTurn) Decision {
	if !f.owns(op.Session) {
		return refuse(store.ErrFenced)
	}
	if f.Turn.State != bellcord.StateQueued {
		return refuse(store.ErrFenced)
	}
	return Decision{Apply: true}
}

// RecordStop decides which stop a turn has, or which one is kept for a turn that
// does not exist yet. It requires no fence: every node may record a stop.
func RecordStop(f Facts, op store.RecordStop) Decision {
	if f.Turn == nil {
		if f.Early != nil && !Overrules(op.Cause, *f.Early) {
			return Decision{Stop: f.Early}
		}
		return Decision{Apply: true, Stop: &op.Cause}
	}
	if op.Owner != "" && op.Owner != f.Owner {
		return refuse(bellcord.ErrNoTurn)
	}
	return StopFor(f.Turn.State, f.Turn.Stop, op.Cause)
}

// StopFor decides which stop a turn has after one more is recorded. A queued turn
// is stopped now, so that it never runs.
func StopFor(state bellcord.TurnState, had *bellcord.Cause, stop bellcord.Cause) Decision {
	if state == bellcord.StateEnded {
		return Decision{Stop: had}
	}
	if state == bellcord.StateQueued {
		stop = BeforeStart(stop)
	}
	if had == nil || Overrules(stop, *had) {
		return Decision{Apply: true, Stop: &stop, Event: true}
	}
	if Escalates(stop, *had) {
		forced := *had
		forced.Mode = bellcord.StopForce
		return Decision{Apply: true, Stop: &forced}
	}
	return Decision{Stop: had}
}

// Finish decides whether a turn ends with the op's receipt. It resolves every
// race between a stop and the turn's own end.
func Finish(f Facts, op store.FinishTurn) Decision {
	if !f.holds(op.Session, op.Fence) {
		return refuse(store.ErrFenced)
	}
	t := f.Turn
	if t.State == bellcord.StateEnded && t.SameReceipt {
		return Decision{} // the same op, committed before
	}
	if t.State == bellcord.StateEnded {
		return refuse(store.ErrFenced)
	}
	if CutsNow(t.Stop) && op.Receipt.End != bellcord.EndStopped {
		return Decision{Err: store.ErrStopRecorded, Stop: t.Stop}
	}
	return Decision{Apply: true}
}

// StoredTurn returns the state of a turn from its record, as seen by the given
// node. claimed is the time of the claim and applied the number of the last
// append.
func StoredTurn(r store.TurnRecord, node string, claimed, applied int64) *Turn {
	return &Turn{
		Session: r.Session, State: r.State, Own: r.Node == node, Fence: r.Fence, Applied: applied,
		Accepted: r.Accepted.UnixNano(), Claimed: claimed, Stop: r.Stop,
	}
}

// Result returns the result of an op that the store did not apply, because it is
// rejected or was applied before. If the decision is to apply the op, the store's
// statement disagrees with the rules, and Result returns an error.
func (d Decision) Result(op store.Op) (store.Result, error) {
	if d.Apply {
		return store.Result{}, fmt.Errorf("the store did not apply a %T that the turn's state allows", op)
	}
	return store.Result{Err: d.Err, Stop: d.Stop, Fence: d.Fence}, nil
}
