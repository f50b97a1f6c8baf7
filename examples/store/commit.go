package memory

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// Commit implements store.Store. One mutex makes it a transaction: no op of a commit can fail
// after another was applied.
func (n *Node) Commit(_ context.Context, ops []store.Op) ([]store.Result, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, store.NotCommitted(bellcord.ErrClosed)
	}
	results := make([]store.Result, len(ops))
	for i, op := range ops {
		results[i] = n.carryOut(op)
	}
	return results, nil
}

func (n *Node) carryOut(op store.Op) store.Result {
	switch op := op.(type) {
	case store.PutSession:
		return n.putSession(op)
	case store.DeleteSession:
		return n.deleteSession(op.ID)
	case store.AcceptTurn:
		return n.accept(op)
	case store.ClaimTurn:
		return n.claim(op)
	case store.AppendEvents:
		return n.appendEvents(op)
	case store.EditTurn:
		return n.edit(op)
	case store.RecordStop:
		return n.recordStop(op)
	case store.RecordStops:
		return n.recordStops(op)
	case store.FinishTurn:
		return n.finish(op)
	}
	panic("unknown op") // the set of ops is closed
}

// facts returns the facts that the rules need for any op on a turn. The turn is nil if it does not
// exist.
func (n *Node) facts(id bellcord.TurnID, session bellcord.SessionID) (lifecycle.Facts, *turn) {
	f := lifecycle.Facts{Alive: n.registered()}
	t := n.turns[id]
	if t != nil {
		f.Turn = lifecycle.StoredTurn(t.TurnRecord, n.id, t.claimed, t.applied)
		session = t.Session
	}
	s, exists := n.sessions[session]
	f.Session, f.Owner = exists, s.Owner
	return f, t
}

// decided returns the result of an op as the rules decide. It calls apply if they allow the op.
func decided(f lifecycle.Facts, op store.Op, apply func(lifecycle.Decision) store.Result) store.Result {
	d := lifecycle.Decide(f, op)
	result := store.Result{Err: d.Err}
	if d.Apply {
		result = apply(d)
	}
	result.Stop, result.Fence = d.Stop, d.Fence
	return result
}

func (n *Node) accept(op store.AcceptTurn) store.Result {
	f, _ := n.facts(op.Turn, op.Session)
	f.Early = n.earlyStop(op.Turn, "", op.At)
	f.EarlyOwner = n.earlyStop(op.Turn, f.Owner, op.At)
	return decided(f, op, func(d lifecycle.Decision) store.Result {
		bodies := []bellcord.Body{bellcord.TurnAccepted{Prompt: op.Prompt}}
		if d.Event {
			bodies = append(bodies, bellcord.StopRequested{Cause: *d.Stop})
		}
		delete(n.early, earlyKey{op.Turn, ""})
		delete(n.early, earlyKey{op.Turn, f.Owner})
		t := &turn{TurnRecord: store.TurnRecord{
			ID: op.Turn, Session: op.Session, State: bellcord.StateQueued, Node: n.id,
			FirstSeq: int64(len(n.events[op.Session]) + 1), Accepted: op.At, Prompt: op.Prompt, Stop: d.Stop,
		}}
		t.Prompt.Images = nil // the event contains them
		n.turns[op.Turn] = t
		n.touch(op.Session, op.At)
		return n.add(op.Session, op.Turn, op.At, bodies...)
	})
}

func (n *Node) claim(op store.ClaimTurn) store.Result {
	f, t := n.facts(op.Turn, op.Session)
	f.Busy = len(n.find(func(other *turn) bool {
		return other != t && other.Session == op.Session && other.State == bellcord.StateRunning
	})) > 0
	return decided(f, op, func(d lifecycle.Decision) store.Result {
		t.State, t.Fence, t.claimed = bellcord.StateRunning, d.Fence, op.At.UnixNano()
		return n.add(op.Session, op.Turn, op.At, bellcord.TurnStarted{})
	})
}

func (n *Node) appendEvents(op store.AppendEvents) store.Result {
	f, t := n.facts(op.Turn, op.Session)
	switch {
	case op.Turn != "":
		return decided(f, op, func(lifecycle.Decision) store.Result {
			t.applied = op.N
			return n.add(op.Session, op.Turn, op.At, op.Bodies...)
		})
	case !f.Session:
		return store.Result{Err: bellcord.ErrNoSession}
	}
	n.touch(op.Session, op.At)
	return n.add(op.Session, "", op.At, op.Bodies...)
}

func (n *Node) edit(op store.EditTurn) store.Result {
	f, t := n.facts(op.Turn, op.Session)
	return decided(f, op, func(lifecycle.Decision) store.Result {
		t.Prompt.Text = op.Text
		return n.add(op.Session, op.Turn, op.At, bellcord.PromptEdited{Text: op.Text})
	})
}

func (n *Node) recordStop(op store.RecordStop) store.Result {
	f, t := n.facts(op.Turn, "")
	if t == nil {
		f.Early = n.earlyStop(op.Turn, op.Owner, op.Cause.At)
		if d := lifecycle.Decide(f, op); d.Apply {
			n.keepEarly(earlyKey{op.Turn, op.Owner}, *d.Stop)
		}
		return store.Result{}
	}
	result := decided(f, op, func(d lifecycle.Decision) store.Result { return n.setStop(t, d) })
	if result.Err == nil {
		record := t.TurnRecord
		result.Record = &record
	}
	return result
}

// recordStops stops the turns that existed when the stop was requested, of other nodes and those that
// this one has taken over, and reports those that the same stop has already ended.
func (n *Node) recordStops(op store.RecordStops) (result store.Result) {
	for _, t := range n.find(func(t *turn) bool {
		unended := t.State == bellcord.StateRunning || t.State == bellcord.StateQueued && op.Drop
		endedByIt := t.stoppedBy != nil && *t.stoppedBy == op.Cause.At.UnixNano()
		return (unended || endedByIt) && (t.Node != n.id || t.taken) && !t.Accepted.After(op.Cause.At.Add(op.Uncertainty)) &&
			(op.Session == "" || op.Session == t.Session) && (op.Owner == "" || op.Owner == n.sessions[t.Session].Owner)
	}) {
		result.Records = append(result.Records, t.TurnRecord)
		if d := lifecycle.StopFor(t.State, t.Stop, op.Cause); d.Apply {
			result.Events = append(result.Events, n.setStop(t, d).Events...)
		}
	}
	return result
}

func (n *Node) setStop(t *turn, d lifecycle.Decision) store.Result {
	if t.Stop = d.Stop; !d.Event {
		return store.Result{}
	}
	return n.add(t.Session, t.ID, d.Stop.At, bellcord.StopRequested{Cause: *d.Stop})
}

func (n *Node) finish(op store.FinishTurn) store.Result {
	f, t := n.facts(op.Turn, op.Session)
	if t != nil && t.Receipt != nil {
		f.Turn.SameReceipt = reflect.DeepEqual(*t.Receipt, op.Receipt)
	}
	return decided(f, op, func(lifecycle.Decision) store.Result {
		t.State, t.Receipt, t.stoppedBy = bellcord.StateEnded, &op.Receipt, op.StoppedBy()
		for _, used := range op.Receipt.UsageByModel {
			s := store.Spending{At: op.At, Turn: op.Turn, Session: op.Session, ModelUsage: used}
			n.spending = append(n.spending, spending{s, f.Owner})
		}
		n.touch(op.Session, op.At)
		return n.add(op.Session, op.Turn, op.At, bellcord.TurnEnded{Receipt: op.Receipt})
	})
}

// add appends to a session's log. It rejects bodies that could not be decoded again.
func (n *Node) add(session bellcord.SessionID, id bellcord.TurnID, at time.Time, bodies ...bellcord.Body) (result store.Result) {
	for _, b := range bodies {
		data, err := json.Marshal(b)
		if err == nil {
			_, err = bellcord.DecodeBody(b.Kind(), data)
		}
		if err != nil {
			return store.Result{Err: err}
		}
		seq := int64(len(n.events[session]) + len(result.Events) + 1)
		result.Events = append(result.Events, bellcord.Event{Session: session, Seq: seq, Turn: id, Time: at, Body: b})
	}
	n.events[session] = append(n.events[session], result.Events...)
	return result
}
