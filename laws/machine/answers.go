package machine

// handleAnswer handles the store's answer to an op: it wakes the waiter and shows
// the events.
func (w *World) handleAnswer(n *node, o *op, a *answer) {
	t := &n.turns[o.turn]
	waits := t.phase != absent && t.life == o.life
	switch o.kind {
	case acceptTurn:
		if waits {
			w.acceptAnswered(n, o.turn, t, a)
		}
	case claimTurn:
		if waits {
			w.claimAnswered(n, o.turn, t, a)
		}
	case appendWords:
		if waits {
			w.appendAnswered(n, o, t, a)
		}
	case editTurn:
	case requestStop:
		if !o.foreign {
			w.audit.stopAcknowledged(o, a)
		}
	case requestScope:
		w.audit.scopeAcknowledged(o)
	case finishTurn:
		w.finishAnswered(n, o, a, waits)
	}
	if a.count > 0 && !n.commit.again { // otherwise the session's newest sequence number is read
		session := o.session
		if o.kind == requestStop {
			session = w.db.turns[o.turn].session
		}
		for seq := a.first; seq < a.first+a.count; seq++ {
			w.showEvent(n, session, seq, w.db.events[session][seq-1])
		}
	}
}

func (w *World) acceptAnswered(n *node, id turn, t *localTurn, a *answer) {
	if a.err != fine {
		t.broken = true
		w.settle(n, id) // the store rejects this, too, and answers with the current state
		return
	}
	w.audit.acceptAcknowledged(w, id)
	w.applyRecordedStop(n, id, a.stop)
	t.phase = waiting
}

func (w *World) claimAnswered(n *node, id turn, t *localTurn, a *answer) {
	switch a.err {
	case fine:
	case isBusy:
		t.phase = waiting
		return
	case fenced, exists, stopIsRequested:
		t.broken = true
		w.settle(n, id)
		return
	}
	t.fence = a.fence
	w.confuse(n, id, t)
	if w.rules.ClaimAppliesStop {
		w.applyRecordedStop(n, id, a.stop)
	}
	if t.phase = working; t.cut() {
		w.settle(n, id) // its agent never runs
	}
}

func (w *World) appendAnswered(n *node, o *op, t *localTurn, a *answer) {
	if a.err != fine {
		t.broken = true
		return
	}
	w.audit.appendAcknowledged(w, o)
	if a.stop >= cutsNow {
		w.applyRecordedStop(n, o.turn, a.stop)
	}
	if t.tool == intended && o.to >= t.call {
		t.tool = ready
	}
}

func (w *World) finishAnswered(n *node, o *op, a *answer, waits bool) {
	if a.err == fenced {
		w.audit.endRefused(w, o)
	}
	switch {
	case a.err == fine && waits:
		w.audit.endAcknowledged(w, o.turn, o.end)
		w.speakLate(n, o)
		w.depart(n, o.turn)
	case a.err == fine:
		w.audit.endAcknowledged(w, o.turn, o.end)
	case a.err == stopIsRequested && waits: // another node's stop was recorded first
		w.applyRecordedStop(n, o.turn, a.stop)
		w.settle(n, o.turn)
	case a.err == stopIsRequested && (o.life == 0 || w.rules.LateEndIsFollowed):
		again := *o
		again.end, again.at = stopped, w.stamp()
		w.put(n, o.session, again)
	case o.life == 0:
		n.burying[o.turn] = false // if this node still owns it, the next poll finds it
	case waits: // another node wrote the end
		w.depart(n, o.turn)
	}
}

// confuse occasionally sends an op that a correct process never sends: a second
// claim, words for another session, or words out of order.
func (w *World) confuse(n *node, id turn, t *localTurn) {
	other := (t.session + 1) % sessionCount
	switch w.below(24) {
	case 0:
		w.put(n, t.session, op{kind: claimTurn, session: t.session, turn: id, at: w.stamp()})
	case 1:
		w.put(n, t.session, op{kind: appendWords, session: other, turn: id, fence: t.fence, n: 1, from: 1, to: 1})
	case 2:
		w.put(n, t.session, op{kind: appendWords, session: t.session, turn: id, fence: t.fence, n: 1000, from: 1, to: 1})
	default:
		return
	}
	w.tally.Confused++
}

// speakLate simulates an abandoned agent that writes after its turn's end.
func (w *World) speakLate(n *node, end *op) {
	if t := &n.turns[end.turn]; end.fence > 0 && w.oneIn(8) {
		w.tally.Late++
		w.put(n, end.session, op{kind: appendWords, session: end.session, turn: end.turn, fence: end.fence, n: t.n + 1, from: t.words + 1, to: t.words + 1})
	}
}

// giveUp stops waiting for an end to become durable. The turn leaves the queue,
// but its finish is still queued.
func (w *World) giveUp(n *node, id turn) bool {
	if n.turns[id].phase != settling {
		return false
	}
	w.tracef("node %d waits no longer for the end of turn %d", int(n.id), int(id))
	w.depart(n, id)
	return true
}
