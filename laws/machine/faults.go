package machine

// heartbeat is a lease renewal in progress. It has a separate connection and
// waits for nothing.
type heartbeat struct {
	phase     commitPhase
	requested int // time of the request by the node's clock
	alive     bool
}

// pulse advances a renewal by one step: requested, applied, answered.
func (w *World) pulse(n *node) bool {
	b := &n.beat
	switch {
	case b.phase == idle && !n.fenced && n.awake():
		b.phase, b.requested = sent, n.clock
	case b.phase == sent && !n.cutOff:
		b.phase, b.alive = carriedOut, w.renew(n.id)
	case b.phase == carriedOut && !n.cutOff && n.awake():
		b.phase = idle
		w.granted(n)
	case n.cutOff && b.phase != idle && n.awake():
		b.phase = idle // no answer arrived
	default:
		return false
	}
	return true
}

// granted records a renewed lease. A node that could not reach the database for a
// while takes over nothing for the duration of a lease, because other nodes may
// have had the same problem.
func (w *World) granted(n *node) {
	if !n.beat.alive {
		w.tracef("node %d learns that it was taken for dead", int(n.id))
		n.fenced = true
		return
	}
	requested := n.beat.requested
	if !w.rules.LeaseFromRequest {
		requested = n.clock
	}
	if requested-n.leaseRequested > 100*lease/2 {
		n.shaken = n.clock
	}
	n.leaseRequested = requested
}

// judge takes over dead nodes and ends their turns. If the answer to the takeover
// is lost, the next poll finds the turns.
func (w *World) judge(n *node) bool {
	if n.cutOff || n.fenced {
		return false
	}
	if n.clock-n.shaken > 100*lease {
		w.takeOver(n.id)
	}
	if !w.oneIn(4) { // otherwise the answer is lost
		w.bury(n)
	}
	return true
}

// crash ends a process at any point. A commit that it has sent may still be
// applied.
func (w *World) crash(n *node) bool {
	w.tracef("node %d crashes", int(n.id))
	w.tally.Crashes++
	if n.commit.phase == sent && !n.cutOff {
		w.goAstray(n)
	}
	w.loseMemory(n)
	return true
}

// exit ends a draining process. A process that has waited too long leaves turns
// behind.
func (w *World) exit(n *node) bool {
	if !n.draining || (len(n.line) > 0 && !w.oneIn(8)) {
		return false
	}
	w.tracef("node %d leaves with %d turns unended", int(n.id), len(n.line))
	if n.commit.phase == sent && !n.cutOff {
		w.goAstray(n)
	}
	if !n.cutOff {
		w.leaveCluster(n.id)
	}
	w.loseMemory(n)
	return true
}

// tick advances the database's clock, and every node's clock at its own rate.
func (w *World) tick() {
	w.db.now++
	for i := range w.nodes {
		w.nodes[i].clock += w.nodes[i].rate
	}
}

// pause simulates SIGSTOP; wake ends it.
func (w *World) pause(n *node) bool {
	if !n.awake() {
		return false
	}
	w.tracef("node %d is paused", int(n.id))
	n.paused = true
	w.tally.Pauses++
	return true
}

func (w *World) wake(n *node) bool {
	if !n.paused {
		return false
	}
	w.tracef("node %d wakes", int(n.id))
	n.paused = false
	return true
}

// cutFromDatabase disconnects a node from the database; reconnect reverses that.
func (w *World) cutFromDatabase(n *node) bool {
	if n.cutOff {
		return false
	}
	w.tracef("node %d is cut off from the database", int(n.id))
	n.cutOff = true
	w.tally.Cuts++
	return true
}

// cutFromBus disconnects a node from the bus.
func (w *World) cutFromBus(n *node) bool {
	if n.deaf {
		return false
	}
	w.tracef("node %d is cut off from the bus", int(n.id))
	n.deaf = true
	return true
}

func (w *World) reconnect(n *node) bool {
	if !n.cutOff && !n.deaf {
		return false
	}
	w.tracef("node %d is connected again", int(n.id))
	n.cutOff, n.deaf = false, false
	return true
}
