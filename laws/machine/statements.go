package machine

import (
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
)

// opKind says which statement an op is.
type opKind uint8

const (
	acceptTurn opKind = iota
	claimTurn
	appendWords
	editTurn
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
	foreign  bool // of a stop: its owner has no turn here
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
	kept  bool // of a stop: there was no such turn
}

// carryOut carries out one op for a node, if the rules allow it.
func (w *World) carryOut(by nodeID, o *op) answer {
	d := w.decide(by, o)
	if o.kind == askStop {
		return w.recordStop(o, d)
	}
	if !d.Apply {
		w.countRefusal(o, d)
		return answerOf(d)
	}
	switch o.kind {
	case acceptTurn:
		return w.accept(by, o, d)
	case claimTurn:
		return w.claim(by, o, d)
	case appendWords:
		return w.append(by, o, d)
	case editTurn:
		return w.edit(by, o)
	case finishTurn:
		return w.finish(by, o)
	case askStop:
	}
	return answer{}
}

func (w *World) countRefusal(o *op, d lifecycle.Decision) {
	if o.kind != finishTurn {
		return
	}
	switch {
	case errors.Is(d.Err, bellcord.ErrStopRecorded):
		w.tally.StopBeatEnd++
	case d.Err != nil:
		w.tally.RefusedByFence++
	}
}

// appendEvent puts an event at the end of the session's log.
func (w *World) appendEvent(a *answer, session int8, ev event) {
	w.db.events[session] = append(w.db.events[session], ev)
	if a.count == 0 {
		a.first = len(w.db.events[session])
	}
	a.count++
	w.audit.added(w, session, ev)
}

// accept records a turn as queued. A stop that was kept for its id becomes the
// turn's own.
func (w *World) accept(by nodeID, o *op, d lifecycle.Decision) answer {
	w.audit.accepted(w, by, o)
	row := &w.db.turns[o.turn]
	*row = turnRow{there: true, session: o.session % sessionCount, node: by, accepted: o.at, stop: modeOf(d.Stop)}
	w.db.intents[o.turn] = noStop
	a := answer{stop: row.stop}
	w.appendEvent(&a, row.session, event{turn: o.turn, kind: prompted})
	if d.Event {
		w.tally.EarlyStops++
		w.audit.recorded(o.turn, row.stop)
		w.appendEvent(&a, row.session, event{turn: o.turn, kind: stopAsked})
	}
	return a
}

// append adds words to a running turn.
func (w *World) append(by nodeID, o *op, d lifecycle.Decision) answer {
	w.db.turns[o.turn].applied = o.n
	a := answer{stop: modeOf(d.Stop)}
	w.audit.wrote(w, by, o)
	for word := o.from; word <= o.to; word++ {
		ev := event{turn: o.turn, kind: said, word: word}
		if word == o.call {
			ev.kind = called
		}
		w.appendEvent(&a, o.session, ev)
	}
	return a
}

// edit changes the text of a turn that waits.
func (w *World) edit(by nodeID, o *op) answer {
	var a answer
	w.tally.Edits++
	w.audit.edited(w, by, o)
	w.appendEvent(&a, o.session, event{turn: o.turn, kind: edited})
	return a
}

// recordStop records a stop for a turn, or keeps it when there is no such turn
// yet.
func (w *World) recordStop(o *op, d lifecycle.Decision) answer {
	row := &w.db.turns[o.turn]
	a := answerOf(d)
	switch {
	case !row.there:
		if d.Apply && !o.foreign {
			w.db.intents[o.turn] = modeOf(d.Stop)
		}
		return answer{kept: true}
	case !d.Apply:
		return a
	}
	row.stop = modeOf(d.Stop)
	w.audit.recorded(o.turn, row.stop)
	if d.Event {
		w.appendEvent(&a, row.session, event{turn: o.turn, kind: stopAsked})
	}
	return a
}

// finish writes a turn's one end.
func (w *World) finish(by nodeID, o *op) answer {
	row := &w.db.turns[o.turn]
	row.state, row.end, row.receipt = over, o.end, o.at
	w.tally.countEnd(o.end)
	var a answer
	w.audit.wrote(w, by, o)
	w.appendEvent(&a, o.session, event{turn: o.turn, kind: ended})
	w.audit.ended(w, o.turn, row.session, o.end)
	return a
}
