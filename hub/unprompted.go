package hub

import (
	"slices"

	"github.com/bellcord/bellcord"
)

// isUnderWay reports whether the turn's work has begun before the turn: a hosted
// agent works without a prompt. The agent runs the turn even if it was stopped in
// the queue, because only the agent can end the work.
func (t *Turn) isUnderWay() bool { return t.Prompt.Task == bellcord.TaskUnprompted }

// stoppedInQueue returns a channel that is closed when a stop ends the turn before
// it runs. It is nil for work that is under way.
func (t *Turn) stoppedInQueue() <-chan struct{} {
	if t.isUnderWay() {
		return nil
	}
	return t.ctx.Done()
}

// enqueueLocked adds a turn to the session's queue: at its end or, for work that is
// under way, directly behind the running turn. The running turn sees that it is
// followed.
func (l *line) enqueueLocked(t *Turn) {
	at := len(l.turns)
	if t.isUnderWay() {
		at = slices.Index(l.turns, l.running) + 1
	}
	l.turns = slices.Insert(l.turns, at, t)
	if l.running != nil && !l.running.hasNext {
		l.running.hasNext = true
		close(l.running.next)
	}
}

// underWayLocked returns the running turn, and those in the queue whose work is
// under way.
func (l *line) underWayLocked() []*Turn {
	var all []*Turn
	for _, t := range l.turns {
		if t == l.running || t.isUnderWay() {
			all = append(all, t)
		}
	}
	return all
}
