package machine

// requestStop handles a client's stop at a node. A turn on this node is stopped
// immediately. In parallel the stop is recorded and sent to the other nodes. The
// client gets its answer when the record is durable.
func (w *World) requestStop(n *node, id turn, how mode) {
	if how == forced {
		w.tally.Forced++
	}
	w.tracef("a client stops turn %d at node %d, mode %d", int(id), int(n.id), int(how))
	w.audit.turns[id].stopRequested = true
	t := &n.turns[id]
	journal := int8(loose)
	if t.phase != absent {
		journal = t.session
		w.applyStop(n, id, how)
	} else {
		n.early[id] = max(n.early[id], how)
	}
	if w.rules.StopIsRecorded {
		w.put(n, journal, op{kind: requestStop, turn: id, stop: how, session: journal, life: w.stamp()})
	} else {
		w.audit.stopAcknowledged(&op{turn: id, stop: how}, &answer{})
	}
	w.publish(n, message{kind: stopWord, turn: id, stop: how})
}

// stopOfAnother sends the stop of a client that does not own the turn. It is
// rejected and has no effect.
func (w *World) stopOfAnother(n *node, id turn) {
	w.tracef("somebody else's client stops turn %d at node %d", int(id), int(n.id))
	w.tally.Foreign++
	w.put(n, loose, op{kind: requestStop, turn: id, stop: cutsNow, session: loose, life: w.stamp(), foreign: true})
}

// applyStop applies a stop to a turn. The first one that cuts now is kept. A turn
// that has not started has no step to finish.
func (w *World) applyStop(n *node, id turn, how mode) {
	t := &n.turns[id]
	if how == afterStep && t.phase < working && w.rules.QueuedStopCuts {
		how = cutsNow
	}
	if how > t.applied {
		w.audit.stopApplied(w, id)
		t.applied = how
	}
}

// applyRecordedStop applies a recorded stop.
func (w *World) applyRecordedStop(n *node, id turn, how mode) {
	if how != noStop && n.turns[id].phase != absent {
		w.applyStop(n, id, how)
	}
}

// applyRemoteStop applies a stop that arrived over the bus. It is ignored if its turn is
// not here, because the record decides.
func (w *World) applyRemoteStop(n *node, m *message) {
	id := m.turn
	if !w.rules.StopNamesItsTurn { // applies to the running turn of the session instead
		if id = n.first[w.db.turns[m.turn].session]; id == noTurn {
			return
		}
	}
	w.applyRecordedStop(n, id, m.stop)
}

// sweep applies stops that other nodes recorded for this node's turns, and checks
// whether this node still has a row.
func (w *World) sweep(n *node) bool {
	if n.cutOff {
		return false
	}
	if w.rules.FencedNodeEnds && w.db.node(n.id) == nil {
		w.takenForDead(n)
	}
	for _, id := range n.line {
		if row := &w.db.turns[id]; row.exists && row.node == n.id && row.state != over {
			w.applyRecordedStop(n, id, row.stop)
		}
	}
	return true
}

// takenForDead cancels all turns, because other nodes have already ended them,
// and accepts no new ones. The store rejects every further write of this node.
func (w *World) takenForDead(n *node) {
	n.draining, n.fenced = true, true
	for _, id := range n.line {
		n.turns[id].broken = true
	}
}

// drain accepts no new turns and stops every turn, with a record.
func (w *World) drain(n *node) bool {
	if n.draining {
		return false
	}
	w.tracef("node %d drains", int(n.id))
	n.draining = true
	w.tally.Drains++
	for _, id := range n.line {
		w.audit.turns[id].stopRequested = true
		w.applyStop(n, id, cutsNow)
		w.put(n, n.turns[id].session, op{kind: requestStop, turn: id, stop: cutsNow, session: n.turns[id].session, life: w.stamp()})
	}
	return true
}

// bury ends the turns that this node has taken over: as stopped if a stop is
// recorded, otherwise as lost. If an end cannot be written, the next poll finds
// the turn again.
func (w *World) bury(n *node) {
	for i := range w.db.turns {
		row := &w.db.turns[i]
		if !row.exists || !row.taken || row.node != n.id || row.state == over || n.burying[i] {
			continue
		}
		n.burying[i] = true
		w.putLostReceipt(n, turn(i), row)
	}
}

func (w *World) putLostReceipt(n *node, id turn, row *turnRow) {
	how := lost
	if row.stop >= cutsNow {
		how = stopped
	}
	w.put(n, loose, op{kind: finishTurn, turn: id, session: row.session, fence: row.fence, end: how, at: w.stamp()})
}
