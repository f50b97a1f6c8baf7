package undo

import (
	"slices"

	"github.com/bellcord/bellcord"
)

// last finds the last turn that can be undone, and the last undo.
type last struct {
	turns []changedTurn    // in the order of their ends, without those that are undone
	undos []bellcord.Event // with an Undone that is not reversed
}

// changedTurn is a turn that has changed files.
type changedTurn struct {
	id bellcord.TurnID
	// isKnown is false if the log does not have the changes: they are pending, or
	// the process died before it had recorded them.
	isKnown bool
}

func (l *last) read(ev bellcord.Event) {
	switch b := ev.Body.(type) {
	case bellcord.TurnEnded:
		l.ended(ev.Turn, b.Receipt)
	case bellcord.ChangesRecorded:
		if len(b.Changes.Files) == 0 {
			l.remove(b.Turn)
		} else {
			l.add(changedTurn{b.Turn, true})
		}
	case bellcord.Undone:
		if b.Restored == 0 { // an earlier version recorded undos without an effect
			return
		}
		for _, t := range b.Turns {
			l.remove(t)
		}
		if b.Redone == "" {
			l.undos = append(l.undos, ev)
			return
		}
		for _, t := range b.Turns {
			l.add(changedTurn{t, true})
		}
		l.undos = slices.DeleteFunc(l.undos, func(u bellcord.Event) bool { return u.Body.(bellcord.Undone).Undo == b.Redone })
	}
}

func (l *last) ended(turn bellcord.TurnID, r bellcord.Receipt) {
	c := r.Changes
	switch {
	case l.index(turn) >= 0: // the changes were recorded before the end
	case c != nil && len(c.Files) > 0:
		l.add(changedTurn{turn, true})
	case c != nil && c.Pending, c == nil && (r.End == bellcord.EndLost || r.End == bellcord.EndStopped):
		l.add(changedTurn{turn, false})
	}
}

func (l *last) index(turn bellcord.TurnID) int {
	return slices.IndexFunc(l.turns, func(t changedTurn) bool { return t.id == turn })
}

// add adds a turn, or replaces it at its place.
func (l *last) add(t changedTurn) {
	if i := l.index(t.id); i >= 0 {
		l.turns[i] = t
		return
	}
	l.turns = append(l.turns, t)
}

func (l *last) remove(turn bellcord.TurnID) {
	l.turns = slices.DeleteFunc(l.turns, func(t changedTurn) bool { return t.id == turn })
}

// undoable returns the last undo, with the turn that an undo means.
func (l *last) undoable(turn bellcord.TurnID) bellcord.Undoable {
	if len(l.undos) == 0 {
		return bellcord.Undoable{Turn: turn}
	}
	ev := l.undos[len(l.undos)-1]
	undo := ev.Body.(bellcord.Undone)
	return bellcord.Undoable{Turn: turn, Undo: undo.Undo, UndoneTurns: undo.Turns, UndoneAt: ev.Time}
}
