package machine

// commitPhase is the progress of a commit.
type commitPhase uint8

const (
	idle       commitPhase = iota
	sent                   // sent to the database, but not applied
	carriedOut             // applied, and the answer is on its way
)

// commit is a node's current transaction: the ops that waited in journals when it
// was made. Later ops form the next one.
type commit struct {
	phase   commitPhase
	ops     []op
	answers []answer
	again   bool // sent before, with an unknown outcome
}

// stray is a transaction that lost its connection before the database applied it.
// It may still be applied, even after its node's death, or never.
type stray struct {
	by  nodeID
	ops []op
}

// sendBatch takes the waiting ops of random journals. The order within a journal
// is kept; there is no order between journals.
func (w *World) sendBatch(n *node) bool {
	c := &n.commit
	if c.phase != idle {
		return false
	}
	c.ops, c.again = c.ops[:0], false
	from := w.below(len(n.journal))
	for i := range n.journal {
		j := &n.journal[(from+i)%len(n.journal)]
		if len(*j) > 0 && !w.oneIn(4) {
			c.ops = append(c.ops, *j...)
			*j = (*j)[:0]
		}
	}
	if len(c.ops) == 0 {
		return false
	}
	w.tracef("node %d sends a commit of %d ops", int(n.id), len(c.ops))
	c.phase = sent
	return true
}

// carryOutAll applies the node's commit in the database.
func (w *World) carryOutAll(n *node) bool {
	c := &n.commit
	if c.phase != sent || n.cutOff {
		return false
	}
	if c.again && w.rules.RepeatWaits {
		w.resolve(n.id)
	}
	w.tracef("the database carries out node %d's commit of %d ops", int(n.id), len(c.ops))
	c.answers = c.answers[:0]
	for i := range c.ops {
		c.answers = append(c.answers, w.carryOut(n.id, &c.ops[i]))
	}
	c.phase = carriedOut
	return true
}

// handleAnswers delivers the acknowledgement of the whole commit.
func (w *World) handleAnswers(n *node) bool {
	c := &n.commit
	if c.phase != carriedOut || n.cutOff {
		return false
	}
	w.tracef("node %d receives the results of its commit", int(n.id))
	c.phase = idle
	for i := range c.ops {
		w.handleAnswer(n, &c.ops[i], &c.answers[i])
	}
	return true
}

// lose breaks the connection before the answer: the commit was applied, was not,
// or still will be. It is repeated unchanged, because every op is idempotent.
func (w *World) lose(n *node) bool {
	c := &n.commit
	if c.phase == idle {
		return false
	}
	w.tracef("node %d loses its connection, its commit is in phase %d", int(n.id), int(c.phase))
	if c.phase == sent {
		w.goAstray(n)
	}
	c.phase, c.again = sent, true
	w.tally.LostAnswers++
	if !w.rules.LostAnswerIsNoFailure {
		w.renumber(n)
	}
	if !w.rules.LostAnswerIsNoSuccess {
		w.presume(n)
	}
	return true
}

// goAstray occasionally turns the commit into a stray.
func (w *World) goAstray(n *node) {
	if w.straying < len(w.strays) && w.oneIn(2) {
		s := &w.strays[w.straying]
		s.by, s.ops = n.id, append(s.ops[:0], n.commit.ops...)
		w.straying++
	}
}

// arrive applies or discards a stray transaction.
func (w *World) arrive(i int, happens bool) {
	s := w.strays[i]
	if happens {
		w.tally.Strays++
		w.tracef("the database carries out a stray commit of node %d, %d ops", int(s.by), len(s.ops))
		for k := range s.ops {
			w.carryOut(s.by, &s.ops[k])
		}
	}
	w.straying--
	w.strays[i], w.strays[w.straying] = w.strays[w.straying], s
}

// resolve applies or discards a node's stray transactions. They hold the locks of
// their sessions, and their repetition needs the same locks, so it waits until
// the strays have ended. Otherwise a claim could be answered as busy, its turn
// end without having run, and the stray claim still be applied.
func (w *World) resolve(by nodeID) {
	for i := 0; i < w.straying; {
		if w.strays[i].by == by {
			w.arrive(i, w.oneIn(2))
		} else {
			i++
		}
	}
}

// renumber simulates a node that treats a lost answer as a failure and sends new
// ops.
func (w *World) renumber(n *node) {
	for i := range n.commit.ops {
		o := &n.commit.ops[i]
		if o.kind != appendWords || n.turns[o.turn].life != o.life {
			continue
		}
		o.n++
		n.turns[o.turn].n++
		for k := range n.journal[o.session] {
			if later := &n.journal[o.session][k]; later.kind == appendWords && later.life == o.life {
				later.n++
			}
		}
	}
}

// presume simulates a node that treats a lost answer as a success.
func (w *World) presume(n *node) {
	n.commit.phase = idle
	for i := range n.commit.ops {
		w.handleAnswer(n, &n.commit.ops[i], &answer{fence: 1})
	}
}
