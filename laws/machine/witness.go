package machine

// The following methods are called for everything that reached people or the
// outside world. It is compared with the store immediately, because it cannot be
// undone.

func (a *auditor) acceptAcknowledged(w *World, t turn) {
	if !w.db.turns[t].exists {
		w.fail(NothingLost, "turn %d was acknowledged, and the store does not have it", t)
	}
	a.turns[t].accepted = true
}

func (a *auditor) appendAcknowledged(w *World, o *op) {
	if a.turns[o.turn].word < o.to {
		w.fail(NothingLost, "word %d of turn %d was acknowledged, the store has %d", o.to, o.turn, a.turns[o.turn].word)
	}
}

func (a *auditor) stopAcknowledged(o *op, answered *answer) {
	b, stop := &a.turns[o.turn], o.stop
	if answered.kept {
		stop = min(stop, cutsNow) // a turn that never starts needs no grace period
	}
	if stop > b.acknowledged {
		b.acknowledged, b.late = stop, b.end != noEnd
	}
	if !b.claimed {
		b.early = true
	}
}

func (a *auditor) endAcknowledged(w *World, t turn, how end) {
	if a.turns[t].end != how {
		w.fail(NothingLost, "turn %d was said to have ended as %s, in the store it is %s", t, endNames[how], endNames[a.turns[t].end])
	}
}

// endRefused checks the answer to a rejected end.
func (a *auditor) endRefused(w *World, o *op) {
	if row := &w.db.turns[o.turn]; row.state == over && row.receipt == o.at {
		w.fail(NothingLost, "the end of turn %d is in the store, and its node was refused it", o.turn)
	}
}

// stopApplied checks a stop that a node applies to a turn.
func (a *auditor) stopApplied(w *World, t turn) {
	if !a.turns[t].stopRequested {
		w.fail(NamedTarget, "turn %d is stopped, and nobody asked for that", t)
	}
}

// emitted checks a word or a call of an agent.
func (a *auditor) emitted(w *World, t turn) {
	if a.turns[t].early {
		w.fail(EarlyStops, "turn %d speaks, its stop was on record before it started", t)
	}
}

// effect checks the start of a tool and its fence.
func (a *auditor) effect(w *World, by nodeID, t turn, session int8, fence int, call int16) {
	b := &a.turns[t]
	switch {
	case b.call < call:
		w.fail(IntentFirst, "a tool of turn %d starts, word %d, and its intent is not durable", t, call)
	case a.running[session] != t:
		w.fail(NoOverlap, "a tool of turn %d starts while the session runs turn %d", t, a.running[session])
	case b.owner != by || b.fence != fence:
		w.fail(NoOverlap, "node %d starts a tool of turn %d under fence %d, and it is node %d's", by, t, fence, b.owner)
	}
	if b.early {
		w.fail(EarlyStops, "a tool of turn %d starts, its stop was on record before it", t)
	}
}

// shown checks an event that a watcher receives.
func (a *auditor) shown(w *World, v *watcher, seq int, ev event) {
	events := w.db.events[v.session]
	switch {
	case seq != v.cursor+1:
		w.fail(DurableShown, "a watcher of session %d sees event %d behind %d", v.session, seq, v.cursor)
	case seq > len(events):
		w.fail(DurableShown, "a watcher of session %d sees event %d, the store has %d", v.session, seq, len(events))
	case events[seq-1] != ev:
		w.fail(DurableShown, "a watcher of session %d sees word %d of turn %d as event %d, which it is not", v.session, ev.word, ev.turn, seq)
	}
}

// settled compares the records with the store at the end of the quiet phase.
func (a *auditor) settled(w *World) {
	for i := range a.turns {
		b, row := &a.turns[i], &w.db.turns[i]
		switch {
		case b.accepted && !row.exists:
			w.fail(NothingLost, "turn %d was acknowledged, and is not there", i)
		case row.exists && (row.state != over || b.end == noEnd):
			w.fail(AllEnd, "turn %d has not ended, it is node %d's", i, row.node)
		case b.acknowledged >= cutsNow && row.exists && row.end != stopped && !b.late:
			w.fail(StopWins, "turn %d ended as %s, and its stop had been acknowledged", i, endNames[row.end])
		case b.acknowledged != noStop && row.exists && row.stop < b.acknowledged && !b.late:
			w.fail(NothingLost, "the stop of turn %d was acknowledged, and is not on its record", i)
		case b.acknowledged != noStop && !row.exists && w.db.intents[i] < b.acknowledged:
			w.fail(NothingLost, "the stop of turn %d was acknowledged, and is not kept for it", i)
		}
	}
	for i := range w.watchers {
		if v := &w.watchers[i]; v.cursor != len(w.db.events[v.session]) {
			w.fail(DurableShown, "a watcher of session %d has seen %d of %d events", v.session, v.cursor, len(w.db.events[v.session]))
		}
	}
}
