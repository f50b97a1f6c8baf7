package machine

// opKind says which statement an op is.
type opKind uint8

const (
	acceptTurn opKind = iota
	claimTurn
	appendWords
	askStop
	finishTurn
)

// op is one thing to make durable. Repeated because its answer was lost, it
// changes nothing and is answered the same way.
type op struct {
	kind     opKind
	session  int8
	turn     turn
	end      end  // of a finish
	stop     mode // of a stop
	from, to int16
	call     int16 // of an append: the word that is a tool's intent, 0 for none
	at       stamp
	life     stamp // of the node's turn that waits for the answer; 0 for none
	fence    int
	n        int  // of an append: its number, from 1
	refused  bool // of a finish: the store had refused something to the turn
}

// refusal is why the store did not carry out an op.
type refusal uint8

const (
	fine refusal = iota
	fenced
	exists
	isBusy
	stopIsAsked
)

// answer is what the store says to an op.
type answer struct {
	err   refusal
	stop  mode // on the turn's record
	fence int  // of a claim
	first int  // sequence number of the first event that was added
	count int  // how many were; none when the op had been carried out before
}

// carryOut carries out one op for a node.
func (w *World) carryOut(by nodeID, o *op) answer {
	switch o.kind {
	case acceptTurn:
		return w.accept(by, o)
	case claimTurn:
		return w.claim(by, o)
	case appendWords:
		return w.append(by, o)
	case askStop:
		return w.askStop(o)
	default:
		return w.finish(by, o)
	}
}

// repeated answers an op that was carried out before, as it was then.
func (w *World) repeated(a answer) answer {
	if !w.rules.RepeatIsAnswered {
		return answer{err: fenced}
	}
	return a
}

// add puts an event at the end of the session's log.
func (w *World) add(a *answer, session int8, ev event) {
	w.db.events[session] = append(w.db.events[session], ev)
	if a.count == 0 {
		a.first = len(w.db.events[session])
	}
	a.count++
	w.audit.added(w, session, ev)
}

// accept records a turn as queued. A stop that was kept for its id becomes the
// turn's own. Nobody would ever end what a removed node accepts.
func (w *World) accept(by nodeID, o *op) answer {
	row := &w.db.turns[o.turn]
	switch {
	case row.there && row.session == o.session && row.accepted == o.at && row.node == by:
		return w.repeated(answer{stop: row.stop}) // this very op, committed before
	case row.there:
		return answer{err: exists}
	case w.rules.AcceptChecksNode && w.db.node(by) == nil:
		return answer{err: fenced}
	}
	*row = turnRow{there: true, session: o.session, node: by, accepted: o.at, stop: w.db.intents[o.turn]}
	w.db.intents[o.turn] = noStop
	a := answer{stop: row.stop}
	w.audit.accepted(w, by, o.turn, o.life)
	w.add(&a, o.session, event{turn: o.turn, kind: prompted})
	if row.stop != noStop {
		w.tally.EarlyStops++
		w.audit.recorded(o.turn, row.stop)
		w.add(&a, o.session, event{turn: o.turn, kind: stopAsked})
	}
	return a
}

// holds reports whether a write carries the turn's fence: the node that has it,
// and the number under which it got it.
func (w *World) holds(row *turnRow, by nodeID, fence int) bool {
	return (row.node == by || !w.rules.FenceHasNode) && (row.fence == fence || !w.rules.FenceHasNumber)
}

// append adds words to a running turn.
func (w *World) append(by nodeID, o *op) answer {
	row := &w.db.turns[o.turn]
	holds := !w.rules.AppendIsFenced || w.holds(row, by, o.fence)
	follows := row.applied == o.n-1 || !w.rules.AppendIsNumbered
	switch {
	case !row.there || row.session != o.session || !holds:
		return answer{err: fenced}
	case row.state == running && follows:
	case row.applied >= o.n:
		return w.repeated(answer{stop: row.stop}) // it is in the log already
	default:
		return answer{err: fenced}
	}
	row.applied = o.n
	a := answer{stop: row.stop}
	w.audit.wrote(w, by, o)
	for word := o.from; word <= o.to; word++ {
		ev := event{turn: o.turn, kind: said, word: word}
		if word == o.call {
			ev.kind = called
		}
		w.add(&a, o.session, ev)
	}
	return a
}

// askStop records a stop for a turn, or keeps it when there is no such turn yet.
// It needs no fence: whoever may ask may ask from anywhere.
func (w *World) askStop(o *op) answer {
	row := &w.db.turns[o.turn]
	if !row.there {
		if w.rules.EarlyStopIsKept && overrules(o.stop, w.db.intents[o.turn]) {
			w.db.intents[o.turn] = o.stop
		}
		return answer{}
	}
	if row.state == over || !overrules(o.stop, row.stop) {
		return answer{stop: row.stop}
	}
	row.stop = o.stop
	a := answer{stop: row.stop}
	w.audit.recorded(o.turn, o.stop)
	w.add(&a, row.session, event{turn: o.turn, kind: stopAsked})
	return a
}

// finish writes a turn's one end. It is a compare-and-set on one row, and the
// one point at which every race about a turn is decided.
func (w *World) finish(by nodeID, o *op) answer {
	row := &w.db.turns[o.turn]
	holds := row.there && row.session == o.session && (!w.rules.FinishIsFenced || w.holds(row, by, o.fence))
	open := row.state != over || !w.rules.FinishIsOnce
	cut := w.rules.FinishHeedsStop && row.stop == cutsNow && o.end != stopped
	switch {
	case !holds:
		w.tally.RefusedByFence++
		return answer{err: fenced}
	case open && !cut:
	case row.state == over && row.receipt == o.at:
		return w.repeated(answer{}) // this very op, committed before
	case row.state != over:
		w.tally.StopBeatEnd++
		return answer{err: stopIsAsked, stop: row.stop}
	default:
		return answer{err: fenced}
	}
	row.state, row.end, row.receipt = over, o.end, o.at
	w.tally.count(o.end)
	var a answer
	w.audit.wrote(w, by, o)
	w.add(&a, o.session, event{turn: o.turn, kind: ended})
	w.audit.ended(w, o.turn, row.session, o.end)
	return a
}
