package chat

import (
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

// turns are the turns of the session that have not ended: the running one, the
// queued ones, and own prompts that are on their way.
type turns struct {
	*state
	running  *running
	queue    queue
	sent     []sent                   // own prompts that are not in the log yet
	ownStops map[bellcord.TurnID]bool // turns that this user stopped
}

// running is the running turn.
type running struct {
	id      bellcord.TurnID
	task    bellcord.Task
	text    string // its prompt
	started time.Time
	meter   meter
	scan    string // the scan that the turn waits for; "" if there is none
	// Time and mode of its stop; zero if no stop was requested.
	stop time.Time
	mode bellcord.StopMode
}

// sent is a prompt that is not in the log yet.
type sent struct {
	turn bellcord.TurnID
	text string
	stop time.Time // when its stop was requested
}

// target returns the turn that a stop applies to: the running one, or else the
// first that is being sent, or else the next in the queue; or "".
func (ts *turns) target() bellcord.TurnID {
	if ts.running != nil {
		return ts.running.id
	}
	if len(ts.sent) > 0 {
		return ts.sent[0].turn
	}
	return ts.queue.next()
}

func (ts *turns) isRunning(turn bellcord.TurnID) bool {
	return ts.running != nil && ts.running.id == turn
}

// send returns the action that sends a prompt.
func (ts *turns) send(task bellcord.Task, text string) []Action {
	p := Prompt{Session: ts.session, Draft: ts.draft, Turn: bellcord.NewTurnID(), Task: task, Text: text}
	if task == bellcord.TaskAnswer {
		p.ImageFiles = ts.mentionedImages(text)
	}
	ts.sent = append(ts.sent, sent{turn: p.Turn, text: text})
	return []Action{p}
}

// unsend removes a prompt from those that are being sent, and returns when its stop
// was requested, if at all.
func (ts *turns) unsend(turn bellcord.TurnID) time.Time {
	for i, s := range ts.sent {
		if s.turn == turn {
			ts.sent = slices.Delete(ts.sent, i, i+1)
			return s.stop
		}
	}
	return time.Time{}
}

// stopRequested reports whether the stop of the turn is shown as requested. It is
// not if it could not be delivered.
func (ts *turns) stopRequested() bool {
	turn := ts.target()
	if ts.running != nil {
		return !ts.running.stop.IsZero()
	}
	for _, s := range ts.sent {
		if s.turn == turn {
			return !s.stop.IsZero()
		}
	}
	i := ts.queue.find(turn)
	return i >= 0 && !ts.queue.waits[i].stop.IsZero()
}

// stop marks a turn as stopping, and reports whether the stop has to be
// sent.
func (ts *turns) stop(turn bellcord.TurnID, mode bellcord.StopMode) bool {
	if r := ts.running; ts.isRunning(turn) {
		if !r.stop.IsZero() && (mode != bellcord.StopForce || r.mode == bellcord.StopForce) {
			return false
		}
		if r.stop.IsZero() {
			r.stop = ts.now
		}
		r.mode = mode
		return true
	}
	for i := range ts.sent {
		if ts.sent[i].turn == turn {
			ts.sent[i].stop = ts.now
		}
	}
	if i := ts.queue.find(turn); i >= 0 {
		ts.queue.waits[i].stop = ts.now
	}
	return true
}

// discard stops a queued prompt and selects the next one, or the one before if it
// was the last.
func (ts *turns) discard(w waiting) []Action {
	q := &ts.queue
	at := q.find(w.turn) + 1
	if at == len(q.waits) {
		at -= 2
	}
	q.picked = ""
	if at >= 0 {
		q.picked = q.waits[at].turn
	}
	q.discarded = append(q.discarded, w)
	ts.ownStops[w.turn] = true
	return []Action{Stop{Turn: w.turn, Mode: bellcord.StopNow}}
}

// causeOf describes the person or cause that stopped a turn; it returns "" if this
// user stopped it.
func (ts *turns) causeOf(r bellcord.Receipt) string {
	if ts.ownStops[r.Turn] || r.Cause == nil {
		return ""
	}
	return harmless(line.StopCause(*r.Cause))
}
