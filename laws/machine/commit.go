package machine

// commitPhase is how far a commit is.
type commitPhase uint8

const (
	idle       commitPhase = iota
	sent                   // to the database, which has not carried it out
	carriedOut             // and the answer is on its way
)

// commit is a node's one transaction under way: what waited in journals when it
// was made. What comes meanwhile forms the next one.
type commit struct {
	phase   commitPhase
	ops     []op
	answers []answer
	again   bool // it was sent before, and nobody knows what became of it
}

// stray is a transaction whose connection was lost before the database had
// carried it out: it may happen yet, also behind its node's death, or never.
type stray struct {
	by  nodeID
	ops []op
}

// sendBatch takes what waits in some journals, at random. A journal's own order is
// kept; between journals there is none.
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
	w.say("node %d sends a commit of %d ops", int(n.id), len(c.ops))
	c.phase = sent
	return true
}

// carryOutAll is the database's part.
func (w *World) carryOutAll(n *node) bool {
	c := &n.commit
	if c.phase != sent || n.cutOff {
		return false
	}
	if c.again && w.rules.RepeatWaits {
		w.resolve(n.id)
	}
	w.say("the database carries out node %d's commit of %d ops", int(n.id), len(c.ops))
	c.answers = c.answers[:0]
	for i := range c.ops {
		c.answers = append(c.answers, w.carryOut(n.id, &c.ops[i]))
	}
	c.phase = carriedOut
	return true
}

// hearAnswers is the acknowledgement, whole.
func (w *World) hearAnswers(n *node) bool {
	c := &n.commit
	if c.phase != carriedOut || n.cutOff {
		return false
	}
	w.say("node %d hears the answers to its commit", int(n.id))
	c.phase = idle
	for i := range c.ops {
		w.hearAnswer(n, &c.ops[i], &c.answers[i])
	}
	return true
}

// lose is a connection that breaks before the answer: the commit happened, or it
// did not, or it still will. It is repeated as it was; every op is idempotent.
func (w *World) lose(n *node) bool {
	c := &n.commit
	if c.phase == idle {
		return false
	}
	w.say("node %d loses its connection, its commit is in phase %d", int(n.id), int(c.phase))
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

// goAstray leaves a transaction to the database, now and then.
func (w *World) goAstray(n *node) {
	if w.straying < len(w.strays) && w.oneIn(2) {
		s := &w.strays[w.straying]
		s.by, s.ops = n.id, append(s.ops[:0], n.commit.ops...)
		w.straying++
	}
}

// arrive has the database carry out a stray transaction, or forget it.
func (w *World) arrive(i int, happens bool) {
	s := w.strays[i]
	if happens {
		w.tally.Strays++
		w.say("the database carries out a stray commit of node %d, %d ops", int(s.by), len(s.ops))
		for k := range s.ops {
			w.carryOut(s.by, &s.ops[k])
		}
	}
	w.straying--
	w.strays[i], w.strays[w.straying] = w.strays[w.straying], s
}

// resolve decides about a node's stray transactions. They have locked the
// sessions that their ops are about, before all else, and their repetition asks
// for the same locks: it waits until they have happened, or have not. Without
// that a claim could be told that the session is busy, its turn be ended as one
// that never ran, and the claim happen all the same.
func (w *World) resolve(by nodeID) {
	for i := 0; i < w.straying; {
		if w.strays[i].by == by {
			w.arrive(i, w.oneIn(2))
		} else {
			i++
		}
	}
}

// renumber is what a node does that takes a lost answer for a failure, and makes
// its ops anew.
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

// presume is what a node does that takes a lost answer for a success.
func (w *World) presume(n *node) {
	n.commit.phase = idle
	for i := range n.commit.ops {
		w.hearAnswer(n, &n.commit.ops[i], &answer{fence: 1})
	}
}
