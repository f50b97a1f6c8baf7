package lifecycle

import (
	"maps"
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// LostTurn rebuilds the receipt of a dead process's turn from its events.
type LostTurn struct {
	record store.TurnRecord
	tally  Tally
	open   map[string]bool // unanswered questions
}

// NewLostTurn returns a LostTurn for the turn's record, without events.
func NewLostTurn(record store.TurnRecord) *LostTurn {
	l := &LostTurn{record: record, open: map[string]bool{}}
	l.tally.Times.Accepted = record.Accepted
	return l
}

// Observe adds an event of the turn's session. It ignores events of other turns.
func (l *LostTurn) Observe(ev bellcord.Event) {
	if ev.Turn != l.record.ID {
		return
	}
	switch b := ev.Body.(type) {
	case bellcord.TurnStarted:
		l.tally.Times.Started = ev.Time
	case bellcord.QuestionOpened:
		l.open[b.Question.ID] = true
	case bellcord.QuestionAnswered:
		delete(l.open, b.Question)
	}
	l.tally.Observe(ev.Body)
}

// Receipt returns the turn's receipt: stopped if stop is a stop that takes effect
// immediately, otherwise lost.
func (l *LostTurn) Receipt(stop *bellcord.Cause, at time.Time) bellcord.Receipt {
	r := l.tally.Receipt(false)
	r.Turn, r.Session, r.End, r.RaceWinner = l.record.ID, l.record.Session, bellcord.EndLost, bellcord.CompletionWon
	r.Times.Settled = at
	r.WithdrawnQuestions = slices.Sorted(maps.Keys(l.open))
	if l.record.State == bellcord.StateQueued {
		r.Prompt = l.record.Prompt.Text
	} else { // its process can end none, and this one has not looked
		r.Processes.Unknown, r.Processes.Node = bellcord.ProcessesNotChecked, l.record.RanOn
	}
	if CutsNow(stop) {
		r.End, r.RaceWinner, r.Cause = bellcord.EndStopped, bellcord.StopWon, stop
		r.Times.StopRequested = stop.At
	}
	return r
}
