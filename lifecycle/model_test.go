package lifecycle_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// model is a reference store. It keeps only the facts and applies the decisions
// of package lifecycle; the test compares the real stores with it.
type model struct {
	owners map[bellcord.SessionID]string // owners of the existing sessions
	turns  map[bellcord.TurnID]*modelTurn
	early  map[earlyKey]*bellcord.Cause
	ticks  int64
	past   []step // steps that may be repeated
}

type modelTurn struct {
	lifecycle.Turn
	node    int
	receipt bellcord.Receipt
}

type earlyKey struct {
	turn  bellcord.TurnID
	owner string
}

// step is an op of a node.
type step struct {
	node int
	op   store.Op
}

// dead is the node that has been taken over. Nodes 0 and 1 are alive.
const dead = 2

// facts returns what a store would read for the step.
func (m *model) facts(s step) lifecycle.Facts {
	f := lifecycle.Facts{Alive: s.node != dead}
	fill := func(id bellcord.TurnID, session bellcord.SessionID) {
		f.Owner, f.Session = m.owners[session], m.owners[session] != ""
		if t := m.turns[id]; t != nil {
			view := t.Turn
			view.Own = t.node == s.node
			f.Turn, f.Owner = &view, m.owners[t.Session]
		}
	}
	switch op := s.op.(type) {
	case store.AcceptTurn:
		fill(op.Turn, op.Session)
		f.Early, f.EarlyOwner = m.early[earlyKey{op.Turn, ""}], m.early[earlyKey{op.Turn, f.Owner}]
	case store.ClaimTurn:
		fill(op.Turn, op.Session)
		for _, t := range m.turns {
			f.Busy = f.Busy || t.Session == op.Session && t.State == bellcord.StateRunning
		}
	case store.AppendEvents:
		fill(op.Turn, op.Session)
	case store.EditTurn:
		fill(op.Turn, op.Session)
	case store.RecordStop:
		fill(op.Turn, "")
		f.Early = m.early[earlyKey{op.Turn, op.Owner}]
	case store.FinishTurn:
		fill(op.Turn, op.Session)
		if t := m.turns[op.Turn]; t != nil {
			f.Turn.SameReceipt = t.State == bellcord.StateEnded && t.receipt.Times.Settled.Equal(op.Receipt.Times.Settled) && t.receipt.End == op.Receipt.End
		}
	}
	return f
}

// apply applies a decision.
func (m *model) apply(s step, d lifecycle.Decision) {
	switch op := s.op.(type) {
	case store.AcceptTurn:
		delete(m.early, earlyKey{op.Turn, ""})
		delete(m.early, earlyKey{op.Turn, m.owners[op.Session]})
		m.turns[op.Turn] = &modelTurn{node: s.node, Turn: lifecycle.Turn{Session: op.Session, State: bellcord.StateQueued, Accepted: op.At.UnixNano(), Stop: d.Stop}}
	case store.ClaimTurn:
		t := m.turns[op.Turn]
		t.State, t.Fence, t.Claimed = bellcord.StateRunning, d.Fence, op.At.UnixNano()
	case store.AppendEvents:
		m.turns[op.Turn].Applied = op.N
	case store.RecordStop:
		if t := m.turns[op.Turn]; t != nil {
			t.Stop = d.Stop
			return
		}
		m.early[earlyKey{op.Turn, op.Owner}] = d.Stop
	case store.FinishTurn:
		t := m.turns[op.Turn]
		t.State, t.receipt = bellcord.StateEnded, op.Receipt
	}
}

// draw returns a random step: usually a valid one, often one with a small error,
// sometimes a repetition.
func (m *model) draw(t *rapid.T, sessions []bellcord.SessionID, turns []bellcord.TurnID) step {
	if len(m.past) > 0 && rapid.IntRange(0, 4).Draw(t, "repeats") == 0 {
		return rapid.SampledFrom(m.past).Draw(t, "again")
	}
	m.ticks++
	at := time.Unix(1_800_000_000, m.ticks)
	s := step{node: rapid.SampledFrom([]int{0, 0, 0, 0, 0, 0, 0, 0, 1, dead}).Draw(t, "node")}
	id := rapid.SampledFrom(turns).Draw(t, "turn")
	session := rapid.SampledFrom(sessions).Draw(t, "session")
	var fence, applied int64
	if had := m.turns[id]; had != nil {
		if rapid.IntRange(0, 7).Draw(t, "its session") > 0 {
			session = had.Session
		}
		if rapid.IntRange(0, 7).Draw(t, "its node") > 0 {
			s.node = had.node
		}
		fence, applied = had.Fence, had.Applied
	}
	fence += rapid.SampledFrom([]int64{0, 0, 0, 0, 0, 1, -1}).Draw(t, "fence")
	switch rapid.IntRange(0, 9).Draw(t, "op") {
	case 0, 1:
		s.op = store.AcceptTurn{Session: session, Turn: id, Prompt: bellcord.Prompt{Text: "x"}, At: at}
	case 2, 3:
		s.op = store.ClaimTurn{Session: session, Turn: id, At: at}
	case 4, 5:
		n := applied + rapid.SampledFrom([]int64{1, 1, 1, 0, 2, -1}).Draw(t, "number")
		s.op = store.AppendEvents{Session: session, Turn: id, Fence: fence, N: n, At: at, Bodies: []bellcord.Body{bellcord.TextDelta{Text: "x"}}}
	case 6:
		s.op = store.EditTurn{Session: session, Turn: id, Text: "y", At: at}
	case 7, 8:
		cause := bellcord.Cause{
			Kind: bellcord.CausePerson, By: fmt.Sprint(m.ticks), At: at,
			Mode: rapid.SampledFrom([]bellcord.StopMode{"", "", bellcord.StopAfterStep, bellcord.StopForce}).Draw(t, "mode"),
		}
		s.op = store.RecordStop{Turn: id, Owner: rapid.SampledFrom([]string{"", "", "anna", "ben"}).Draw(t, "owner"), Cause: cause}
	case 9:
		end := rapid.SampledFrom([]bellcord.End{bellcord.EndDone, bellcord.EndFailed, bellcord.EndStopped}).Draw(t, "end")
		receipt := bellcord.Receipt{Turn: id, Session: session, End: end, Times: bellcord.Times{Settled: at}}
		s.op = store.FinishTurn{Session: session, Turn: id, Fence: fence, Receipt: receipt, At: at}
	}
	m.past = append(m.past, s)
	return s
}
