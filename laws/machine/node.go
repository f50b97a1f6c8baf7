package machine

// phase is the progress of a turn on its node.
type phase uint8

const (
	absent    phase = iota
	accepting       // the accept is on its way to the store
	waiting         // for its place in the queue, or for the session to be free
	claiming
	working // the agent is running
	settling
)

// toolPhase is the progress of a tool.
type toolPhase uint8

const (
	noTool   toolPhase = iota
	intended           // the call was emitted and is not yet acknowledged as durable
	ready              // the call is durable: the tool may start
	inEffect
)

// localTurn is the in-memory state of a turn on its node.
type localTurn struct {
	phase   phase
	session int8
	life    stamp // distinguishes it from an earlier turn with the same ID, to which late answers may belong
	fence   int
	n       int   // number of appends
	words   int16 // number of words
	applied mode  // the stop applied to the turn
	broken  bool  // the store rejected one of its writes
	word    end   // the agent's result
	tool    toolPhase
	call    int16 // the word of the tool's intent
}

// cut reports whether the turn's context has ended.
func (t *localTurn) cut() bool { return t.applied >= cutsNow || t.broken }

// node is a process. A crash clears all of it.
type node struct {
	id       nodeID
	up       bool
	draining bool
	paused   bool // SIGSTOP: it takes no step, but its clock advances
	cutOff   bool // from the database
	deaf     bool // cut off from the bus

	clock          int // local monotonic clock, in hundredths of a tick
	rate           int // advance of the clock per tick
	leaseRequested int // when the current lease was requested
	shaken         int // when the database was reachable again after an interruption
	fenced         bool
	beat           heartbeat

	turns   [turnCount]localTurn
	line    []turn             // in order of acceptance, until settled
	first   [sessionCount]turn // for each session: the turn that may run
	early   [turnCount]mode    // stops received before their turn
	burying [turnCount]bool    // ends of taken-over turns that are being written
	journal [sessionCount + 1][]op
	commit  commit
}

// loose is the journal for ops that do not belong to an open session.
const loose = sessionCount

// startNode starts a process as a new node.
func (w *World) startNode(n *node) {
	w.loseMemory(n)
	w.ids++
	n.id, n.up = w.ids, true
	n.clock, n.rate = 0, 70+30*w.below(3) // real clocks differ by millionths; these differ enough to matter
	n.shaken = -100 * lease
	for len(w.audit.removedNodes) <= int(n.id) {
		w.audit.removedNodes = append(w.audit.removedNodes, false)
	}
	w.register(n.id)
	w.tracef("node %d starts", int(n.id))
}

// loseMemory clears the memory of a process.
func (w *World) loseMemory(n *node) {
	line, journal, c := n.line[:0], n.journal, n.commit
	*n = node{line: line, journal: journal}
	for i := range n.journal {
		n.journal[i] = n.journal[i][:0]
	}
	for i := range n.first {
		n.first[i] = noTurn
	}
	n.commit.ops, n.commit.answers = c.ops[:0], c.answers[:0]
}

// awake reports whether the process can take a step.
func (n *node) awake() bool { return n.up && !n.paused }

// leased reports whether the node counts on its lease, by its own clock from the
// time of the request.
func (w *World) leased(n *node) bool {
	believed := 100 * lease
	if w.rules.LeaseHasMargin {
		believed -= 100 * margin
	}
	return !n.fenced && n.clock-n.leaseRequested < believed
}

// put queues an op for the next commit.
func (w *World) put(n *node, journal int8, o op) { n.journal[journal] = append(n.journal[journal], o) }

// stamp returns a new unique number.
func (w *World) stamp() stamp {
	w.stamps++
	return w.stamps
}

// prompt accepts a turn, which can be stopped immediately.
func (w *World) prompt(n *node, id turn, session int8) bool {
	t := &n.turns[id]
	if n.draining || t.phase != absent || len(n.journal[session]) > mostWaiting {
		return false
	}
	w.tracef("node %d is prompted for turn %d in session %d", int(n.id), int(id), int(session))
	*t = localTurn{phase: accepting, session: session, life: w.stamp()}
	if n.early[id] != noStop {
		w.applyStop(n, id, n.early[id]) // stopped before it starts
		n.early[id] = noStop
	}
	n.line = append(n.line, id)
	w.advance(n, session)
	w.put(n, session, op{kind: acceptTurn, session: session, turn: id, at: t.life, life: t.life})
	return true
}

// advance lets the first turn in a session's queue run, if none does.
func (w *World) advance(n *node, session int8) {
	if n.first[session] != noTurn {
		return
	}
	for _, id := range n.line {
		if n.turns[id].session == session {
			n.first[session] = id
			return
		}
	}
}

// depart removes a settled turn from its queue.
func (w *World) depart(n *node, id turn) {
	session := n.turns[id].session
	n.turns[id].phase = absent
	for i, other := range n.line {
		if other == id {
			n.line = append(n.line[:i], n.line[i+1:]...)
			break
		}
	}
	if n.first[session] == id {
		n.first[session] = noTurn
	}
	w.advance(n, session)
}
