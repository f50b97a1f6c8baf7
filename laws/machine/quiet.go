package machine

// bound is how long it may take until all has settled once faults are healed:
// the lease of the dead, the lease's time that a shaken node gives them, the same
// again where the last node was itself taken for dead and had to be replaced,
// and a tick for each turn that may wait in a line.
const bound = 3*lease + turnCount + 10

// quiet heals everything and lets time pass until all turns have ended.
func (w *World) quiet() {
	for w.straying > 0 {
		w.arrive(w.straying-1, w.oneIn(2))
	}
	w.bus = w.bus[:0] // the bus need not help
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

// ensureOne sees to it that there is a node that can end what others left: one
// that drains, or was taken for dead, cannot.
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

// calm is a tick of a node without faults: it does all that it has to.
func (w *World) calm(n *node) {
	for range 3 {
		w.pulse(n)
	}
	w.sweep(n)
	w.judge(n)
	for range 4 {
		for i := 0; i < len(n.line); i++ { // a turn may leave while we look
			w.finishWork(n, n.line[i])
		}
		w.flush(n)
	}
	if n.draining && len(n.line) == 0 {
		w.exit(n)
	}
}

// finishWork has an agent end its work.
func (w *World) finishWork(n *node, id turn) {
	if t := &n.turns[id]; t.phase == working && (t.tool == noTool || t.tool == inEffect) {
		w.conclude(n, id, done)
		return
	}
	w.work(n, id)
}

// flush commits what waits and hears the answers.
func (w *World) flush(n *node) {
	w.hearAnswers(n)
	w.carryOutAll(n)
	w.hearAnswers(n)
	w.sendBatch(n)
	w.carryOutAll(n)
	w.hearAnswers(n)
}

// watchToTheEnd moves the watchers to a node that is there, and has them read.
func (w *World) watchToTheEnd() {
	for i := range w.watchers {
		v := &w.watchers[i]
		v.at = 0
		w.restart(&w.nodes[0])
		w.catchUp(&w.nodes[0], v)
	}
}
