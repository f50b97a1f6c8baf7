package machine

// phase is how far a node has come with a turn.
type phase uint8

const (
	absent    phase = iota
	accepting       // the accept is on its way to the store
	waiting         // for its place in line, or for the session to be free
	claiming
	working // its agent runs
	settling
)

// toolPhase is how far an agent has come with a tool.
type toolPhase uint8

const (
	noTool   toolPhase = iota
	intended           // its call was emitted and is not known to be durable
	ready              // it is: the tool may start
	inEffect
)

// localTurn is a turn as the node that runs it has it, in memory.
type localTurn struct {
	phase   phase
	session int8
	life    stamp // answers to an earlier turn of the same id are not for this one
	fence   int
	n       int   // appends so far
	words   int16 // words so far
	told    mode  // the stop that it was told of
	broken  bool  // the store refused one of its writes
	word    end   // the agent's own
	tool    toolPhase
	call    int16 // the tool's intent, as a word
}

// cut reports whether the turn's context has ended.
func (t *localTurn) cut() bool { return t.told >= cutsNow || t.broken }

// node is a process: all of this is gone when it crashes.
type node struct {
	id       nodeID
	up       bool
	draining bool
	paused   bool // SIGSTOP: it takes no step, and its clock goes on
	cutOff   bool // from the database
	deaf     bool // cut off from the bus

	clock  int // its own steady one, in hundredths of a tick
	rate   int // how far it goes in a tick
	asked  int // when it asked for the lease that it has
	shaken int // when the database was back after it could not be reached for a while
	fenced bool
	beat   heartbeat

	turns   [turnCount]localTurn
	line    []turn             // in order of acceptance, until they have settled
	first   [sessionCount]turn // of each session: the one that may run
	early   [turnCount]mode    // stops whose turn has not come
	burying [turnCount]bool    // ends of taken-over turns that are on their way
	journal [sessionCount + 1][]op
	commit  commit
}

// loose is the journal for what concerns no session that is open here.
const loose = sessionCount

// startNode brings a process up, as a new node.
func (w *World) startNode(n *node) {
	w.loseMemory(n)
	w.ids++
	n.id, n.up = w.ids, true
	n.clock, n.rate = 0, 70+30*w.below(3) // crystals differ by millionths; this is to be seen
	n.shaken = -100 * lease
	for len(w.audit.gone) <= int(n.id) {
		w.audit.gone = append(w.audit.gone, false)
	}
	w.register(n.id)
	w.say("node %d starts", int(n.id))
}

// loseMemory is the loss of a process's memory.
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

// leased reports whether the node believes in its lease, by its own clock from
// before it asked.
func (w *World) leased(n *node) bool {
	believed := 100 * lease
	if w.rules.LeaseHasMargin {
		believed -= 100 * margin
	}
	return !n.fenced && n.clock-n.asked < believed
}

// put queues an op for the next commit.
func (w *World) put(n *node, journal int8, o op) { n.journal[journal] = append(n.journal[journal], o) }

// stamp returns a number that was not used before.
func (w *World) stamp() stamp {
	w.stamps++
	return w.stamps
}

// prompt accepts a turn: it exists at once and can be stopped at once.
func (w *World) prompt(n *node, id turn, session int8) bool {
	t := &n.turns[id]
	if n.draining || t.phase != absent || len(n.journal[session]) > mostWaiting {
		return false
	}
	w.say("node %d is prompted for turn %d in session %d", int(n.id), int(id), int(session))
	*t = localTurn{phase: accepting, session: session, life: w.stamp()}
	if n.early[id] != noStop {
		w.applyStop(n, id, n.early[id]) // born stopped
		n.early[id] = noStop
	}
	n.line = append(n.line, id)
	w.advance(n, session)
	w.put(n, session, op{kind: acceptTurn, session: session, turn: id, at: t.life, life: t.life})
	return true
}

// advance lets the first of a session's line run, when none does.
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

// depart takes a settled turn out of its line.
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
