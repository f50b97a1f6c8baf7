package machine

import (
	"errors"

	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// opKind is the type of an op.
type opKind uint8

const (
	acceptTurn opKind = iota
	claimTurn
	appendWords
	editTurn
	requestStop
	requestScope
	finishTurn
)

// op is one change to make durable. If it is repeated because its answer was
// lost, it changes nothing and gets the same answer.
type op struct {
	kind     opKind
	session  int8
	turn     turn
	end      end  // for a finish
	stop     mode // for a stop
	from, to int16
	call     int16 // for an append: the word that is a tool's intent, or 0
	at       stamp
	life     stamp // of the local turn that waits for the answer, or 0
	fence    int
	n        int  // for an append: its number, from 1
	refused  bool // for a finish: the store had rejected a write of the turn
	foreign  bool // for a stop: its owner has no turn here
	scope    scope
	asked    uint64 // for a stop of a scope: the turns that it must reach, as the auditor has recorded them
}

// refusal is the reason why the store rejected an op.
type refusal uint8

const (
	fine refusal = iota
	fenced
	exists
	isBusy
	stopIsRequested
)

// answer is the store's answer to an op.
type answer struct {
	err   refusal
	stop  mode // the turn's recorded stop
	fence int  // for a claim
	first int  // sequence number of the first added event
	count int  // number of added events; 0 if the op was applied before
	kept  bool // for a stop: the turn does not exist
}

// carryOut applies one op of a node if the rules allow it.
func (w *World) carryOut(by nodeID, o *op) answer {
	if o.kind == requestScope {
		return w.recordScope(by, o)
	}
	d := w.decide(by, o)
	if o.kind == requestStop {
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
	case requestStop, requestScope:
	}
	return answer{}
}

func (w *World) countRefusal(o *op, d lifecycle.Decision) {
	if o.kind != finishTurn {
		return
	}
	switch {
	case errors.Is(d.Err, store.ErrStopRecorded):
		w.tally.StopBeatEnd++
	case d.Err != nil:
		w.tally.RefusedByFence++
	}
}

// appendEvent appends an event to the session's log.
func (w *World) appendEvent(a *answer, session int8, ev event) {
	w.db.events[session] = append(w.db.events[session], ev)
	if a.count == 0 {
		a.first = len(w.db.events[session])
	}
	a.count++
	w.audit.added(w, session, ev)
}

// accept records a turn as queued. A stop that was kept for its ID becomes the
// turn's stop.
func (w *World) accept(by nodeID, o *op, d lifecycle.Decision) answer {
	w.audit.accepted(w, by, o)
	row := &w.db.turns[o.turn]
	*row = turnRow{exists: true, session: o.session % sessionCount, node: by, accepted: o.at, stop: modeOf(d.Stop)}
	w.db.intents[o.turn] = noStop
	a := answer{stop: row.stop}
	w.appendEvent(&a, row.session, event{turn: o.turn, kind: prompted})
	if d.Event {
		w.tally.EarlyStops++
		w.audit.recorded(o.turn, row.stop)
		w.appendEvent(&a, row.session, event{turn: o.turn, kind: stopRequested})
	}
	return a
}

// append appends words to a running turn.
func (w *World) append(by nodeID, o *op, d lifecycle.Decision) answer {
	w.db.turns[o.turn].applied = o.n
	a := answer{stop: modeOf(d.Stop)}
	w.audit.wrote(w, by, o)
	for word := o.from; word <= o.to; word++ {
		ev := event{turn: o.turn, kind: textAppended, word: word}
		if word == o.call {
			ev.kind = called
		}
		w.appendEvent(&a, o.session, ev)
	}
	return a
}

// edit changes the text of a queued turn.
func (w *World) edit(by nodeID, o *op) answer {
	var a answer
	w.tally.Edits++
	w.audit.edited(w, by, o)
	w.appendEvent(&a, o.session, event{turn: o.turn, kind: edited})
	return a
}

// recordStop records a stop for a turn, or keeps it if the turn does not exist
// yet.
func (w *World) recordStop(o *op, d lifecycle.Decision) answer {
	row := &w.db.turns[o.turn]
	a := answerOf(d)
	switch {
	case !row.exists:
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
		w.appendEvent(&a, row.session, event{turn: o.turn, kind: stopRequested})
	}
	return a
}

// finish writes a turn's end.
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
