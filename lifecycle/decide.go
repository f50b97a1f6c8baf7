package lifecycle

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/bellcord/bellcord"
)

// Facts are what a store has read about the turn of an op, under the locks under
// which it carries the op out.
type Facts struct {
	Alive   bool   // the node that asks is registered: no other node has taken it for dead
	Session bool   // the op's session exists
	Owner   string // of the turn's session
	Turn    *Turn  // nil where there is none
	Busy    bool   // another turn of the session runs

	// The stops that were kept for the turn before it came: any owner's, and the one
	// of the session's owner. For a RecordStop, Early is the one with its owner.
	Early      *bellcord.Cause
	EarlyOwner *bellcord.Cause
}

// Turn is a turn as the store has it.
type Turn struct {
	Session  bellcord.SessionID
	State    bellcord.TurnState
	Own      bool  // the node that asks has it
	Fence    int64 // raised by every claim and take-over
	Applied  int64 // number of its last append
	Accepted int64 // the time of the accept, in nanoseconds since 1970: it identifies the op
	Claimed  int64 // the same of the claim
	Stop     *bellcord.Cause
	// SameReceipt reports whether the turn has ended with the receipt of the op.
	SameReceipt bool
}

// Decision is what becomes of an op. With neither Err nor Apply the op was carried
// out before, or has nothing to change.
type Decision struct {
	Err   error           // why the op is refused
	Apply bool            // the op is to be carried out
	Stop  *bellcord.Cause // the turn's stop behind the op; for a kept stop, the one to keep
	Event bool            // Stop is new, so a StopRequested event is added
	Fence int64           // of a claim
}

func refuse(err error) Decision { return Decision{Err: err} }

// Decide returns what becomes of an op on a turn. It knows no other ops: for these
// it returns the zero Decision.
func Decide(f Facts, op bellcord.Op) Decision {
	switch op := op.(type) {
	case bellcord.AcceptTurn:
		return Accept(f, op)
	case bellcord.ClaimTurn:
		return Claim(f, op)
	case bellcord.AppendEvents:
		return Append(f, op)
	case bellcord.EditTurn:
		return Edit(f, op)
	case bellcord.RecordStop:
		return RecordStop(f, op)
	case bellcord.FinishTurn:
		return Finish(f, op)
	}
	return Decision{}
}

// Accept decides whether a turn is recorded as queued. A stop that was kept for it
// becomes its own.
func Accept(f Facts, op bellcord.AcceptTurn) Decision {
	if t := f.Turn; t != nil {
		if t.Own && t.Session == op.Session && t.Accepted == op.At.UnixNano() {
			return Decision{Stop: t.Stop} // this very op, committed before
		}
		return refuse(bellcord.ErrTurnExists)
	}
	if !f.Alive { // no node would ever end the turn
		return refuse(bellcord.ErrFenced)
	}
	if !f.Session {
		return refuse(bellcord.ErrNoSession)
	}
	stop := Prevailing(f.Early, f.EarlyOwner)
	return Decision{Apply: true, Stop: stop, Event: stop != nil}
}

// owns reports whether the turn exists in the session and belongs to the node that
// asks.
func (f Facts) owns(session bellcord.SessionID) bool {
	if f.Turn == nil {
		return false
	}
	if f.Turn.Session != session {
		return false
	}
	return f.Turn.Own
}

// holds reports whether a write carries the turn's fence: the node that has the
// turn, and the number under which it got it.
func (f Facts) holds(session bellcord.SessionID, fence int64) bool {
	if !f.owns(session) {
		return false
	}
	return f.Turn.Fence == fence
}

// Claim decides whether a queued turn starts. It does not ask whether the node is
// alive: a take-over that removes a node moves its unended turns, too.
func Claim(f Facts, op bellcord.ClaimTurn) Decision {
	if !f.owns(op.Session) {
		return refuse(bellcord.ErrFenced)
	}
	t := f.Turn
	if t.State != bellcord.StateQueued && t.Claimed == op.At.UnixNano() {
		return Decision{Fence: t.Fence, Stop: t.Stop} // this very op, committed before
	}
	if t.State != bellcord.StateQueued {
		return refuse(bellcord.ErrFenced)
	}
	if f.Busy {
		return refuse(bellcord.ErrBusy)
	}
	return Decision{Apply: true, Fence: t.Fence + 1, Stop: t.Stop}
}

// Append decides whether events are added to a running turn.
func Append(f Facts, op bellcord.AppendEvents) Decision {
	if !f.holds(op.Session, op.Fence) {
		return refuse(bellcord.ErrFenced)
	}
	t := f.Turn
	if op.N > 0 && t.Applied >= op.N {
		return Decision{Stop: t.Stop} // it is in the log already
	}
	if t.State != bellcord.StateRunning {
		return refuse(bellcord.ErrFenced)
	}
	if t.Applied != op.N-1 {
		return refuse(bellcord.ErrFenced)
	}
	return Decision{Apply: true, Stop: t.Stop}
}

// Edit decides whether the text of a turn changes: only while it waits.
func Edit(f Facts, op bellcord.EditTurn) Decision {
	if !f.owns(op.Session) {
		return refuse(bellcord.ErrFenced)
	}
	if f.Turn.State != bellcord.StateQueued {
		return refuse(bellcord.ErrFenced)
	}
	return Decision{Apply: true}
}

// RecordStop decides which stop a turn has, or which one is kept for a turn that
// does not exist yet. It needs no fence: every node may record a stop.
func RecordStop(f Facts, op bellcord.RecordStop) Decision {
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

// StopFor decides which stop a turn has behind one more.
func StopFor(state bellcord.TurnState, had *bellcord.Cause, stop bellcord.Cause) Decision {
	if state == bellcord.StateEnded {
		return Decision{Stop: had}
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

// SameReceipt reports whether a turn has ended with the receipt of a FinishTurn.
// The head of the log is not compared: the store adds it.
func SameReceipt(stored *bellcord.Receipt, op bellcord.Receipt) bool {
	if stored == nil {
		return false
	}
	ended := *stored
	ended.LogHead, op.LogHead = nil, nil
	before, err := json.Marshal(ended)
	now, failed := json.Marshal(op)
	return err == nil && failed == nil && bytes.Equal(before, now)
}

// Finish decides whether a turn ends with the receipt of the op. It decides every
// race between a stop and the turn's own end.
func Finish(f Facts, op bellcord.FinishTurn) Decision {
	if !f.holds(op.Session, op.Fence) {
		return refuse(bellcord.ErrFenced)
	}
	t := f.Turn
	if t.State == bellcord.StateEnded && t.SameReceipt {
		return Decision{} // this very op, committed before
	}
	if t.State == bellcord.StateEnded {
		return refuse(bellcord.ErrFenced)
	}
	if CutsNow(t.Stop) && op.Receipt.End != bellcord.EndStopped {
		return Decision{Err: bellcord.ErrStopRecorded, Stop: t.Stop}
	}
	return Decision{Apply: true}
}

// StoredTurn returns the facts about a turn from its record: for the node that
// asks, with the time of its claim and the number of its last append.
func StoredTurn(r bellcord.TurnRecord, node string, claimed, applied int64) *Turn {
	return &Turn{
		Session: r.Session, State: r.State, Own: r.Node == node, Fence: r.Fence, Applied: applied,
		Accepted: r.Accepted.UnixNano(), Claimed: claimed, Stop: r.Stop,
	}
}

// Result is the answer to an op that a store did not carry out: one that the rules
// refuse, or that was carried out before. A store that would carry out an op but
// whose own statement did not match disagrees with the rules; that is an error.
func (d Decision) Result(op bellcord.Op) (bellcord.Result, error) {
	if d.Apply {
		return bellcord.Result{}, fmt.Errorf("the store did not apply a %T that the turn's state allows", op)
	}
	return bellcord.Result{Err: d.Err, Stop: d.Stop, Fence: d.Fence}, nil
}
