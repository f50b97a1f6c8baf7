package machine

import "github.com/bellcord/bellcord/lifecycle"

// scope selects the turns of a stop that names none: those of a session, of an
// owner, or all.
type scope struct {
	session int8 // everySession for all
	owner   int8 // anyOwner for all
}

const (
	everySession = int8(-1)
	anyOwner     = int8(0)
)

// ownerOf returns the owner of a session. Two of the three sessions have the same.
func ownerOf(session int8) int8 { return 1 + session%2 }

func (s scope) has(session int8) bool {
	return (s.session == everySession || s.session == session) && (s.owner == anyOwner || s.owner == ownerOf(session))
}

// matches reports whether the rules find the session in a scope.
func (w *World) matches(s scope, session int8) bool {
	if !w.rules.ScopeHasOwner {
		s.owner = anyOwner
	}
	return s.has(session)
}

// before reports whether the rules find that a turn was accepted before a stop.
func (w *World) before(accepted, stop stamp) bool {
	return accepted <= stop || !w.rules.ScopeSparesLater
}

// someScopedStop sends a client's stop of a scope, with its queued turns, to any
// node.
func (w *World) someScopedStop(n *node) bool {
	if len(n.journal[loose]) > mostWaiting {
		return false
	}
	of := scope{session: int8(w.below(w.sessions))}
	switch w.below(4) {
	case 0:
		of = scope{session: everySession}
	case 1:
		of = scope{session: everySession, owner: ownerOf(of.session)}
	}
	w.requestScope(n, of)
	return true
}

// requestScope handles the stop at a node. The node stops its own turns and records
// the stop for each. In parallel it records the stop for the turns of other nodes,
// and sends it to them.
func (w *World) requestScope(n *node, of scope) {
	w.tracef("a client stops session %d (-1: all) of owner %d (0: all) at node %d", int(of.session), int(of.owner), int(n.id))
	w.tally.Scopes++
	o := op{kind: requestScope, session: loose, stop: cutsNow, scope: of, life: w.stamp()}
	if o.at = o.life; !w.rules.ScopeUsesOneClock {
		o.at += stamp(100 * (int(n.id)%3 - 1)) // the node's own clock
	}
	o.asked = w.audit.inScope(w, n.id, of)
	for _, id := range n.line {
		if t := &n.turns[id]; w.matches(of, t.session) {
			w.audit.scoped(w, &o, id, t.session, t.life)
			w.applyStop(n, id, cutsNow)
			w.put(n, t.session, op{kind: requestStop, turn: id, stop: cutsNow, session: t.session, life: w.stamp()})
		}
	}
	if w.rules.ScopeIsRecorded {
		w.put(n, loose, o)
	} else {
		w.audit.scopeAcknowledged(&o)
	}
	w.publish(n, message{kind: scopeWord, scoped: o})
}

// hasWork reports whether the rules leave a turn of the node to the stop that the
// node records for each of its own turns. The node only has the row of a turn that
// it has taken over.
func (w *World) hasWork(by nodeID, row *turnRow) bool {
	return row.node == by && (!row.taken || !w.rules.ScopeHasTaken)
}

// recordScope records a stop for the turns in its scope that were accepted before
// it: those of other nodes, and those that this node has taken over.
func (w *World) recordScope(by nodeID, o *op) answer {
	for i := range w.db.turns {
		row := &w.db.turns[i]
		if !row.exists || row.state == over || w.hasWork(by, row) || !w.before(row.accepted, o.at) || !w.matches(o.scope, row.session) {
			continue
		}
		w.audit.scoped(w, o, turn(i), row.session, row.accepted)
		d := lifecycle.StopFor(states[row.state], causes[row.stop], *causes[o.stop])
		if !d.Apply {
			continue
		}
		row.stop = modeOf(d.Stop)
		w.audit.recorded(turn(i), row.stop)
		if d.Event {
			w.appendEvent(&answer{}, row.session, event{turn: turn(i), kind: stopRequested}) // watchers read it from the store
		}
	}
	return answer{}
}

// applyRemoteScope applies a stop that arrived over the bus to the turns in its
// scope that were accepted before it.
func (w *World) applyRemoteScope(n *node, o *op) {
	for _, id := range n.line {
		if t := &n.turns[id]; w.matches(o.scope, t.session) && w.before(t.life, o.at) {
			w.audit.scoped(w, o, id, t.session, t.life)
			w.applyStop(n, id, o.stop)
		}
	}
}

// inScope returns the turns that a stop must reach, as a bit set: those that were
// acknowledged before it was requested, and that its node does not run.
func (a *auditor) inScope(w *World, at nodeID, of scope) (asked uint64) {
	for i := range a.turns {
		b, row := &a.turns[i], &w.db.turns[i]
		if runs := b.owner == at && b.life != 0; b.accepted && b.end == noEnd && !runs && of.has(row.session) {
			asked |= 1 << i
		}
	}
	return asked
}

// scoped checks a turn that a stop of a scope affects: the turn is in the scope, and
// was sent before the stop.
func (a *auditor) scoped(w *World, o *op, id turn, session int8, accepted stamp) {
	switch {
	case !o.scope.has(session):
		w.fail(NamedTarget, "turn %d of session %d is stopped, and is not in the scope", id, session)
	case accepted > o.life:
		w.fail(NamedTarget, "turn %d is stopped, and was sent after the stop", id)
	}
	a.turns[id].stopRequested = true
}

// scopeAcknowledged notes that the client has the answer. From then on, a turn that
// the stop must reach can only end as stopped, also if its node has died. Only an
// end that was written before the stop was recorded stays as it is.
func (a *auditor) scopeAcknowledged(o *op) {
	for i := range a.turns {
		b := &a.turns[i]
		if o.asked&(1<<i) == 0 || b.end != noEnd {
			continue
		}
		b.acknowledged = max(b.acknowledged, o.stop)
		b.early = b.early || !b.claimed
	}
}
