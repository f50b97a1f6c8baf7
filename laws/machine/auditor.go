package machine

// Invariant is a condition that must hold in every run.
type Invariant int

// Invariants.
const (
	_            Invariant = iota
	OneEnd                 // a turn has at most one end
	InOrder                // no event of a turn follows its end; each word occurs once, in order
	FencedOff              // no write of a removed node or under an old fence is accepted
	StopWins               // no other end follows a recorded stop that cuts now
	NothingLost            // everything acknowledged is stored: accepts, events, stops, ends
	NoOverlap              // turns of a session never overlap, nor do the effects of their tools
	AllEnd                 // after all faults are healed, every turn ends within the bound
	DurableShown           // a watcher receives durable events only, without gaps
	EarlyStops             // a stop recorded before the start prevents the first word and tool
	NamedTarget            // a stop affects only the turn it names
	IntentFirst            // a tool's intent is durable before its effect
)

var invariantNames = [...]string{
	"", "one end", "in order", "fenced off", "the stop wins", "nothing lost", "no overlap",
	"all end", "durable before shown", "early stops hold", "named target", "intent before effect",
}

// String returns the name of the invariant.
func (i Invariant) String() string { return invariantNames[i] }

const (
	noNode = nodeID(0)
	noTurn = turn(-1)
)

// account is the auditor's record of a turn.
type account struct {
	owner         nodeID // the node that may write
	fence         int    // the fence under which it may write
	life          stamp  // of the accepted prompt; 0 after a takeover
	word          int16  // the last word in the log
	call          int16  // the last word in the log that is a tool's intent
	end           end
	claimed       bool
	stopRequested bool // a stop was requested
	recorded      mode // the stop applied by the store
	acknowledged  mode // the acknowledged stop
	late          bool // that acknowledgement followed the end
	early         bool // a stop was acknowledged before the turn started
	accepted      bool // the acceptance was acknowledged
}

// auditor keeps separate records and uses no rule under test.
type auditor struct {
	turns        [turnCount]account
	running      [sessionCount]turn
	removedNodes []bool // by node ID: the row was removed
}

func (a *auditor) reset() {
	clear(a.turns[:])
	a.removedNodes = a.removedNodes[:0]
	for i := range a.running {
		a.running[i] = noTurn
	}
}

// The following methods are called for ops that the database applied.

func (a *auditor) accepted(w *World, by nodeID, o *op) {
	t := o.turn
	switch {
	case a.removedNodes[by]:
		w.fail(FencedOff, "node %d was removed, and turn %d is accepted from it", by, t)
	case w.db.turns[t].exists:
		w.fail(NothingLost, "turn %d is accepted again", t)
	case int(o.session) >= w.sessions:
		w.fail(NothingLost, "turn %d is accepted in a session that does not exist", t)
	}
	a.turns[t].owner, a.turns[t].life = by, o.life
}

// edited checks an applied edit.
func (a *auditor) edited(w *World, by nodeID, o *op) {
	t := o.turn
	b := &a.turns[t]
	switch {
	case w.db.turns[t].session != o.session:
		w.fail(NamedTarget, "turn %d is edited in session %d, which it is not of", t, o.session)
	case b.claimed || b.end != noEnd:
		w.fail(InOrder, "turn %d is edited, and no longer waits", t)
	case b.owner != by:
		w.fail(FencedOff, "node %d edits turn %d, which is node %d's", by, t, b.owner)
	}
}

func (a *auditor) claimed(w *World, by nodeID, t turn, session int8, fence int) {
	if other := a.running[session]; other != noTurn {
		w.fail(NoOverlap, "turn %d is claimed while turn %d of the session runs", t, other)
	}
	if a.removedNodes[by] {
		w.fail(FencedOff, "node %d was removed, and claims turn %d", by, t)
	}
	if a.turns[t].owner != by {
		w.fail(FencedOff, "node %d claims turn %d, which is node %d's", by, t, a.turns[t].owner)
	}
	a.running[session] = t
	a.turns[t].claimed, a.turns[t].owner, a.turns[t].fence = true, by, fence
}

func (a *auditor) removed(id nodeID) { a.removedNodes[id] = true }

func (a *auditor) inherited(t turn, by nodeID, fence int) {
	a.turns[t].owner, a.turns[t].fence, a.turns[t].life = by, fence, 0
}

// wrote checks an applied append or finish.
func (a *auditor) wrote(w *World, by nodeID, o *op) {
	t := &a.turns[o.turn]
	switch {
	case a.removedNodes[by]:
		w.fail(FencedOff, "node %d was removed, and writes to turn %d", by, o.turn)
	case t.owner != by:
		w.fail(FencedOff, "node %d writes to turn %d, which is node %d's", by, o.turn, t.owner)
	case t.life != o.life:
		w.fail(FencedOff, "turn %d is written to for a prompt that was refused", o.turn)
	case o.refused:
		w.fail(NothingLost, "the node of turn %d was refused something, and had the turn all the time", o.turn)
	case t.fence != o.fence:
		w.fail(FencedOff, "turn %d is written to under fence %d, it has %d", o.turn, o.fence, t.fence)
	}
}

// added checks an event added to the log.
func (a *auditor) added(w *World, session int8, ev event) {
	t := &a.turns[ev.turn]
	switch {
	case t.end != noEnd && ev.kind == ended:
		w.fail(OneEnd, "turn %d ends again", ev.turn)
	case t.end != noEnd:
		w.fail(InOrder, "event %d of session %d is of turn %d, which has ended", len(w.db.events[session]), session, ev.turn)
	case ev.word != 0 && ev.word != t.word+1:
		w.fail(InOrder, "word %d of turn %d follows word %d", ev.word, ev.turn, t.word)
	}
	if ev.word != 0 {
		t.word = ev.word
	}
	if ev.kind == called {
		t.call = ev.word
	}
}

func (a *auditor) recorded(t turn, stop mode) { a.turns[t].recorded = max(a.turns[t].recorded, stop) }

func (a *auditor) ended(w *World, id turn, session int8, how end) {
	t := &a.turns[id]
	if how != stopped && (t.recorded >= cutsNow || t.acknowledged >= cutsNow) {
		w.fail(StopWins, "turn %d ends as %s, behind a stop that cuts now", id, endNames[how])
	}
	if how == stopped && !t.stopRequested {
		w.fail(NamedTarget, "turn %d ends as stopped, and nobody asked for that", id)
	}
	if a.running[session] == id {
		a.running[session] = noTurn
	}
	t.end = how
}
