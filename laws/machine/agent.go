package machine

// mostWaiting is the number of waiting ops of a session at which an agent blocks.
const mostWaiting = 12

// work executes one step of a turn on its node, or of its agent.
func (w *World) work(n *node, id turn) bool {
	t := &n.turns[id]
	switch t.phase {
	case waiting:
		return w.claimFirst(n, id, t)
	case working:
		return w.agent(n, id, t)
	case absent, accepting, claiming, settling:
	}
	return false
}

// claimFirst claims the turn in the store if it is first in its queue. A turn
// that is already stopped is never claimed.
func (w *World) claimFirst(n *node, id turn, t *localTurn) bool {
	switch {
	case t.cut():
		w.settle(n, id)
	case n.first[t.session] != id:
		return false
	default:
		w.tracef("node %d claims turn %d", int(n.id), int(id))
		t.phase = claiming
		w.put(n, t.session, op{kind: claimTurn, session: t.session, turn: id, at: w.stamp(), life: t.life})
	}
	return true
}

// agent executes one step of the agent. After a stop it starts no tool, but may
// emit some more words before it returns.
func (w *World) agent(n *node, id turn, t *localTurn) bool {
	if t.cut() && !w.oneIn(4) {
		t.tool = noTool
		return w.conclude(n, id, failed)
	}
	switch t.tool {
	case noTool:
		return w.think(n, id, t)
	case intended:
		return t.cut() && w.conclude(n, id, failed)
	case ready:
		return w.startTool(n, id, t)
	case inEffect:
		t.tool = noTool
		return w.emit(n, id, t, false) // the result of the tool
	}
	return false
}

func (w *World) think(n *node, id turn, t *localTurn) bool {
	chance := w.below(32)
	switch {
	case chance < 18 || t.cut():
		return w.emit(n, id, t, false)
	case chance < 28:
		return w.emit(n, id, t, true)
	case chance < 30 && t.applied == afterStep: // the end of a step
		w.applyStop(n, id, cutsNow)
		return w.conclude(n, id, failed)
	case chance < 31:
		return w.conclude(n, id, done)
	}
	return w.conclude(n, id, failed)
}

// emit queues a word, joined to a waiting append if there is one. A call is the
// intent of a tool: the agent waits until it is durable.
func (w *World) emit(n *node, id turn, t *localTurn, call bool) bool {
	waits := n.journal[t.session]
	if len(waits) > mostWaiting {
		return false
	}
	w.audit.emitted(w, id)
	t.words++
	o := w.openAppend(waits, id, t)
	if o == nil {
		t.n++
		w.put(n, t.session, op{kind: appendWords, session: t.session, turn: id, life: t.life, fence: t.fence, n: t.n, from: t.words})
		waits = n.journal[t.session]
		o = &waits[len(waits)-1]
	}
	o.to = t.words
	if call {
		o.call, t.call, t.tool = t.words, t.words, intended
	}
	w.tracef("turn %d on node %d emits word %d, append %d", int(id), int(n.id), int(t.words), o.n)
	if call && !w.rules.IntentBeforeEffect {
		t.tool = ready
	}
	if !w.rules.DurableBeforeShown {
		w.showEvent(n, t.session, len(w.db.events[t.session])+1, event{turn: id, kind: textAppended, word: t.words})
	}
	return true
}

// openAppend returns the turn's waiting append, unless it ends in a call.
func (w *World) openAppend(waits []op, id turn, t *localTurn) *op {
	for i := len(waits) - 1; i >= 0; i-- {
		if o := &waits[i]; o.kind == appendWords && o.turn == id && o.life == t.life {
			if o.call != 0 {
				return nil
			}
			return o
		}
	}
	return nil
}

// startTool starts the effect of a tool, which cannot be undone. The intent is
// durable and the lease must be valid. Without a valid lease, another node may
// already own the turn.
func (w *World) startTool(n *node, id turn, t *localTurn) bool {
	switch {
	case t.cut():
		return w.conclude(n, id, failed)
	case !w.oneIn(6): // a person needs time to grant permission
		return false
	case w.rules.LeaseBeforeEffect && !w.leased(n):
		return false
	}
	t.tool = inEffect
	w.tally.Effects++
	w.tracef("turn %d on node %d starts a tool under fence %d", int(id), int(n.id), t.fence)
	w.audit.effect(w, n.id, id, t.session, t.fence, t.call)
	return true
}

// conclude ends the agent's work with the given result.
func (w *World) conclude(n *node, id turn, word end) bool {
	n.turns[id].word = word
	w.settle(n, id)
	return true
}

// settle queues the turn's end: stopped if a stop has cut it, whatever the
// agent's result is.
func (w *World) settle(n *node, id turn) {
	t := &n.turns[id]
	how := t.word
	switch {
	case t.applied >= cutsNow:
		how = stopped
	case how == noEnd || t.broken:
		how = failed
	}
	t.phase, t.tool = settling, noTool
	w.tracef("node %d settles turn %d under fence %d, end %d", int(n.id), int(id), t.fence, int(how))
	w.put(n, t.session, op{kind: finishTurn, session: t.session, turn: id, life: t.life, fence: t.fence, end: how, at: w.stamp(), refused: t.broken})
}
