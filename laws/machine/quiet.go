package machine

// bound limits the ticks until every turn has settled after all faults are
// healed: the lease of dead nodes, one lease during which a node that was cut off
// takes over nothing, the same again if the last node was itself taken over and
// replaced, and a tick for each queued turn.
const bound = 3*lease + turnCount + 10

// quiet heals all faults and advances time until every turn has ended.
func (w *World) quiet() {
	for w.straying > 0 {
		w.arrive(w.straying-1, w.oneIn(2))
	}
	w.bus = w.bus[:0] // turns must settle without the bus
	for i := range w.nodes {
		n := &w.nodes[i]
		n.paused, n.cutOff, n.deaf = false, false, false
	}
	for range bound {
		w.tick()
		w.ensureOne()
		for i := range w.nodes {
			if n := &w.nodes[i]; n.up && w.broken == nil {
				w.calm(n)
			}
		}
		if w.broken != nil {
			return
		}
	}
	w.watchToTheEnd()
	for i := range w.nodes {
		if n := &w.nodes[i]; len(n.line) > 0 {
			id := n.line[0]
			w.fail(AllEnd, "node %d still has turn %d, in phase %d", n.id, id, n.turns[id].phase)
		}
	}
	w.audit.settled(w)
}

// ensureOne ensures that a node exists that can end the turns of others. A node
// that is draining or was taken over cannot.
func (w *World) ensureOne() {
	for i := range w.nodes {
		if n := &w.nodes[i]; n.up && !n.draining && w.db.node(n.id) != nil {
			return
		}
	}
	if n := &w.nodes[0]; n.up {
		w.crash(n)
	}
	w.restart(&w.nodes[0])
}

// calm executes one tick of a node without faults.
func (w *World) calm(n *node) {
	for range 3 {
		w.pulse(n)
	}
	w.sweep(n)
	w.judge(n)
	for range 4 {
		for i := 0; i < len(n.line); i++ { // a turn may leave the queue during the loop
			w.finishWork(n, n.line[i])
		}
		w.flush(n)
	}
	if n.draining && len(n.line) == 0 {
		w.exit(n)
	}
}

// finishWork makes an agent end its work.
func (w *World) finishWork(n *node, id turn) {
	if t := &n.turns[id]; t.phase == working && (t.tool == noTool || t.tool == inEffect) {
		w.conclude(n, id, done)
		return
	}
	w.work(n, id)
}

// flush commits the waiting ops and handles the answers.
func (w *World) flush(n *node) {
	w.handleAnswers(n)
	w.carryOutAll(n)
	w.handleAnswers(n)
	w.sendBatch(n)
	w.carryOutAll(n)
	w.handleAnswers(n)
}

// watchToTheEnd moves the watchers to a running node and lets them catch up.
func (w *World) watchToTheEnd() {
	for i := range w.watchers {
		v := &w.watchers[i]
		v.at = 0
		w.restart(&w.nodes[0])
		w.catchUp(&w.nodes[0], v)
	}
}
