package machine

// heartbeat is a renewal under way, on a connection of its own: it waits for
// nobody.
type heartbeat struct {
	phase commitPhase
	asked int // by the node's clock
	alive bool
}

// pulse takes a renewal one step further: asked for, carried out, heard.
func (w *World) pulse(n *node) bool {
	b := &n.beat
	switch {
	case b.phase == idle && !n.fenced && n.awake():
		b.phase, b.asked = sent, n.clock
	case b.phase == sent && !n.cutOff:
		b.phase, b.alive = carriedOut, w.renew(n.id)
	case b.phase == carriedOut && !n.cutOff && n.awake():
		b.phase = idle
		w.granted(n)
	case n.cutOff && b.phase != idle && n.awake():
		b.phase = idle // no answer came
	default:
		return false
	}
	return true
}

// granted notes a lease. A node that could not reach the database for a while
// gives the others, who may have been as unlucky, the time of a lease.
func (w *World) granted(n *node) {
	if !n.beat.alive {
		w.say("node %d learns that it was taken for dead", int(n.id))
		n.fenced = true
		return
	}
	asked := n.beat.asked
	if !w.rules.LeaseFromAsking {
		asked = n.clock
	}
	if asked-n.asked > 100*lease/2 {
		n.shaken = n.clock
	}
	n.asked = asked
}

// judge looks for nodes that are dead, and for turns of theirs to end. Whether
// the take-over's own answer is heard does not matter: the next look finds what
// it took.
func (w *World) judge(n *node) bool {
	if n.cutOff || n.fenced {
		return false
	}
	if n.clock-n.shaken > 100*lease {
		w.takeOver(n.id)
	}
	if !w.oneIn(4) { // else the answer is lost
		w.bury(n)
	}
	return true
}

// crash is the end of a process, at any point. What it has sent may still
// happen.
func (w *World) crash(n *node) bool {
	w.say("node %d crashes", int(n.id))
	w.tally.Crashes++
	if n.commit.phase == sent && !n.cutOff {
		w.goAstray(n)
	}
	w.loseMemory(n)
	return true
}

// exit is the end of a process in good order; one that has been waiting too long
// leaves turns behind.
func (w *World) exit(n *node) bool {
	if !n.draining || (len(n.line) > 0 && !w.oneIn(8)) {
		return false
	}
	w.say("node %d leaves with %d turns unended", int(n.id), len(n.line))
	if n.commit.phase == sent && !n.cutOff {
		w.goAstray(n)
	}
	if !n.cutOff {
		w.leaveCluster(n.id)
	}
	w.loseMemory(n)
	return true
}

// tick lets time pass: the database's, and every node's own at its own rate.
func (w *World) tick() {
	w.db.now++
	for i := range w.nodes {
		w.nodes[i].clock += w.nodes[i].rate
	}
}

// pause is SIGSTOP, and wake the way back.
func (w *World) pause(n *node) bool {
	if !n.awake() {
		return false
	}
	w.say("node %d is paused", int(n.id))
	n.paused = true
	w.tally.Pauses++
	return true
}

func (w *World) wake(n *node) bool {
	if !n.paused {
		return false
	}
	w.say("node %d wakes", int(n.id))
	n.paused = false
	return true
}

// cutFromDatabase parts a node from the database; mend is the way back.
func (w *World) cutFromDatabase(n *node) bool {
	if n.cutOff {
		return false
	}
	w.say("node %d is cut off from the database", int(n.id))
	n.cutOff = true
	w.tally.Cuts++
	return true
}

// cutFromBus parts a node from the bus.
func (w *World) cutFromBus(n *node) bool {
	if n.deaf {
		return false
	}
	w.say("node %d is cut off from the bus", int(n.id))
	n.deaf = true
	return true
}

func (w *World) mend(n *node) bool {
	if !n.cutOff && !n.deaf {
		return false
	}
	w.say("node %d is connected again", int(n.id))
	n.cutOff, n.deaf = false, false
	return true
}
