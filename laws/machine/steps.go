package machine

// share is a kind of step and its relative frequency. Each run omits some of the
// faults, so that runs differ more in the faults they have.
type share struct {
	weight int
	fault  bool
	try    func(w *World, n *node) bool // reports whether anything happened
}

// shares are the steps of a run. n is a random node.
var shares = []share{
	{50, false, func(w *World, _ *node) bool { w.tick(); return true }},
	{24, false, own((*World).somePrompt)},
	{14, false, own((*World).someStop)},
	{1, false, own((*World).someScopedStop)},
	{8, false, own((*World).someEdit)},
	{260, false, own((*World).someWork)},
	{130, false, own((*World).sendBatch)},
	{130, false, (*World).carryOutAll},
	{130, false, own((*World).handleAnswers)},
	{110, false, (*World).pulse},
	{20, false, own((*World).sweep)},
	{30, false, own((*World).judge)},
	{80, false, func(w *World, _ *node) bool { return w.deliver() }},
	{30, false, func(w *World, _ *node) bool { return w.someWatcher() }},
	{30, true, own((*World).lose)},
	{10, false, func(w *World, _ *node) bool { return w.someStray() }},
	{30, true, own((*World).someGivingUp)},
	{4, true, own((*World).crash)},
	{8, false, (*World).restart},
	{6, true, own((*World).pause)},
	{7, false, (*World).wake},
	{6, true, own((*World).cutFromDatabase)},
	{4, true, own((*World).cutFromBus)},
	{8, false, (*World).reconnect},
	{2, true, own((*World).drain)},
	{6, false, own((*World).exit)},
}

// own limits a step to processes that are up and not paused.
func own(try func(*World, *node) bool) func(*World, *node) bool {
	return func(w *World, n *node) bool { return n.awake() && try(w, n) }
}

// wheel contains the index of each step as often as its weight.
var wheel = func() []uint8 {
	var all []uint8
	for i, s := range shares {
		for range s.weight {
			all = append(all, uint8(i))
		}
	}
	return all
}()

// nextStep executes one step. It draws again if the step cannot happen now.
func (w *World) nextStep() {
	for {
		i := wheel[w.below(len(wheel))]
		if w.without&(1<<i) == 0 && shares[i].try(w, &w.nodes[w.below(nodeCount)]) {
			return
		}
	}
}

// leaveOut chooses the faults that a run omits.
func (w *World) leaveOut() {
	w.without = 0
	for i := range shares {
		if shares[i].fault && w.oneIn(2) {
			w.without |= 1 << i
		}
	}
}

// somePrompt sends a client's prompt, with a new ID or with one that may be in
// use, as after a lost answer.
func (w *World) somePrompt(n *node) bool {
	if w.coming > 0 && w.oneIn(5) {
		id := turn(w.below(int(w.coming)))
		return w.prompt(n, id, int8(w.below(w.sessions)))
	}
	session := int8(w.below(w.sessions))
	if w.oneIn(32) && w.sessions < sessionCount {
		session = int8(w.sessions) // a session that was deleted
	}
	if w.coming == turnCount-1 || !w.prompt(n, w.coming, session) {
		return false
	}
	w.coming++
	return true
}

// someStop sends a client's stop to any node, for any turn: a running one, one of
// the newest, an ended one, or one that does not exist yet.
func (w *World) someStop(n *node) bool {
	id := int(w.audit.running[w.below(w.sessions)])
	switch w.below(8) {
	case 0:
		id = w.below(turnCount)
	case 1, 2:
		id = int(w.coming) - w.below(4)
	}
	if id < 0 || id > int(w.coming) || len(n.journal[loose]) > mostWaiting {
		return false
	}
	how := cutsNow
	switch w.below(16) {
	case 0, 1, 2, 3:
		how = afterStep
	case 4, 5:
		how = forced
	case 6:
		w.stopOfAnother(n, turn(id))
		return true
	}
	w.requestStop(n, turn(id), how)
	return true
}

// someEdit sends a client's edit of a turn that is queued at the node.
func (w *World) someEdit(n *node) bool {
	if len(n.line) == 0 {
		return false
	}
	id := n.line[w.below(len(n.line))]
	t := &n.turns[id]
	if t.phase != waiting || t.cut() || len(n.journal[t.session]) > mostWaiting {
		return false
	}
	edit := op{kind: editTurn, session: t.session, turn: id}
	if w.oneIn(8) {
		edit.session = (t.session + 1) % sessionCount // the wrong session
	}
	w.put(n, t.session, edit)
	return true
}

func (w *World) someWork(n *node) bool {
	return len(n.line) > 0 && w.work(n, n.line[w.below(len(n.line))])
}

func (w *World) someGivingUp(n *node) bool {
	return len(n.line) > 0 && w.giveUp(n, n.line[w.below(len(n.line))])
}

// someWatcher reads from the store, or moves to another node with its cursor.
func (w *World) someWatcher() bool {
	v := &w.watchers[w.below(watcherCount)]
	n := &w.nodes[v.at]
	if !n.up || w.oneIn(16) {
		v.at = int8(w.below(nodeCount))
		return true
	}
	return n.awake() && w.catchUp(n, v)
}

func (w *World) someStray() bool {
	if w.straying == 0 {
		return false
	}
	w.arrive(w.below(w.straying), !w.oneIn(4))
	return true
}

func (w *World) restart(n *node) bool {
	if n.up {
		return false
	}
	w.startNode(n)
	return true
}
