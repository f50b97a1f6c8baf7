package machine

import (
	"errors"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// The database applies the rules of package lifecycle. The functions below
// translate between the small numbers of a run and the types of the product, and
// falsify facts and decisions if a rule is switched off.

// sessionIDs are the session IDs in the product's type.
var sessionIDs = [sessionCount]bellcord.SessionID{"a", "b", "c"}

// owner is the owner of all sessions.
const owner = "owner"

// causes contains a stop of each mode.
var causes = [...]*bellcord.Cause{noStop: nil, afterStep: {Mode: bellcord.StopAfterStep}, cutsNow: {}, forced: {Mode: bellcord.StopForce}}

func modeOf(c *bellcord.Cause) mode {
	switch {
	case c == nil:
		return noStop
	case c.Mode == bellcord.StopAfterStep:
		return afterStep
	case c.Mode == bellcord.StopForce:
		return forced
	}
	return cutsNow
}

var states = [...]bellcord.TurnState{queued: bellcord.StateQueued, running: bellcord.StateRunning, over: bellcord.StateEnded}

var ends = [...]bellcord.End{done: bellcord.EndDone, failed: bellcord.EndFailed, stopped: bellcord.EndStopped, lost: bellcord.EndLost}

func at(s stamp) time.Time { return time.Unix(0, int64(s)) }

// facts returns the facts about an op's turn.
func (w *World) facts(by nodeID, o *op) lifecycle.Facts {
	row := &w.db.turns[o.turn]
	f := lifecycle.Facts{
		Alive: w.db.node(by) != nil, Session: int(o.session) < w.sessions, Owner: owner,
		Busy: o.kind == claimTurn && w.db.busy(o.session), Early: causes[w.db.intents[o.turn]],
	}
	if row.exists {
		w.seen = lifecycle.Turn{
			Session: sessionIDs[row.session], State: states[row.state], Own: row.node == by,
			Fence: int64(row.fence), Applied: int64(row.applied), Accepted: int64(row.accepted), Claimed: int64(row.claimed),
			Stop: causes[row.stop], SameReceipt: row.state == over && row.receipt == o.at,
		}
		f.Turn = &w.seen
	}
	return f
}

// decide returns the decision for an op.
func (w *World) decide(by nodeID, o *op) lifecycle.Decision {
	f := w.facts(by, o)
	w.falsify(&f, o)
	session := sessionIDs[o.session%sessionCount]
	switch o.kind {
	case acceptTurn:
		return w.repeats(lifecycle.Accept(f, store.AcceptTurn{Session: session, At: at(o.at)}))
	case claimTurn:
		return w.repeats(lifecycle.Claim(f, store.ClaimTurn{Session: session, At: at(o.at)}))
	case appendWords:
		return w.repeats(lifecycle.Append(f, store.AppendEvents{Session: session, Fence: int64(o.fence), N: int64(o.n)}))
	case editTurn:
		return lifecycle.Edit(f, store.EditTurn{Session: session})
	case requestStop:
		d := lifecycle.RecordStop(f, store.RecordStop{Owner: o.owner(), Cause: *causes[o.stop]})
		d.Apply = d.Apply && (f.Turn != nil || w.rules.EarlyStopIsKept)
		return d
	case finishTurn:
		return w.repeats(lifecycle.Finish(f, store.FinishTurn{Session: session, Fence: int64(o.fence), Receipt: bellcord.Receipt{End: ends[o.end]}}))
	case requestScope: // it concerns several turns
	}
	return lifecycle.Decision{}
}

func (o *op) owner() string {
	if o.foreign {
		return "somebody else"
	}
	return owner
}

// falsify hides facts from the rules that are switched off.
func (w *World) falsify(f *lifecycle.Facts, o *op) {
	r := &w.rules
	f.Alive = f.Alive || o.kind == acceptTurn && !r.AcceptChecksNode
	f.Busy = f.Busy && r.ClaimChecksSession
	t := f.Turn
	if t == nil {
		return
	}
	switch o.kind {
	case claimTurn:
		t.Own = t.Own || !r.ClaimChecksOwner
	case appendWords:
		w.unfence(t, o, r.AppendIsFenced)
		if !r.AppendIsNumbered && t.State == bellcord.StateRunning {
			t.Applied = int64(o.n) - 1
		}
	case finishTurn:
		w.unfence(t, o, r.FinishIsFenced)
		if !r.FinishIsOnce {
			t.State = bellcord.StateRunning
		}
		if !r.FinishHeedsStop {
			t.Stop = nil
		}
	case requestStop:
		if !r.QueuedStopCuts && t.State == bellcord.StateQueued {
			t.State = bellcord.StateRunning
		}
	case acceptTurn, editTurn, requestScope:
	}
}

// unfence hides a turn's fence or a part of it.
func (w *World) unfence(t *lifecycle.Turn, o *op, isFenced bool) {
	t.Own = t.Own || !isFenced || !w.rules.FenceHasNode
	if !isFenced || !w.rules.FenceHasNumber {
		t.Fence = int64(o.fence)
	}
}

// repeats rejects an op that was applied before if RepeatIsAnswered is off.
func (w *World) repeats(d lifecycle.Decision) lifecycle.Decision {
	if d.Err == nil && !d.Apply && !w.rules.RepeatIsAnswered {
		return lifecycle.Decision{Err: store.ErrFenced}
	}
	return d
}

// answerOf returns the answer to an op that was not applied.
func answerOf(d lifecycle.Decision) answer {
	a := answer{stop: modeOf(d.Stop), fence: int(d.Fence)}
	switch {
	case errors.Is(d.Err, bellcord.ErrTurnExists):
		a.err = exists
	case errors.Is(d.Err, bellcord.ErrBusy):
		a.err = isBusy
	case errors.Is(d.Err, store.ErrStopRecorded):
		a.err = stopIsRequested
	case d.Err != nil:
		a.err = fenced
	}
	return a
}
