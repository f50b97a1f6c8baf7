package chat

import (
	"time"

	"github.com/bellcord/bellcord"
)

// Interrupt handles Ctrl-C: the first one stops the turn, a later one forces the
// stop. If nothing runs, it clears the input; with an empty input, the second one
// leaves.
func (m *Model) Interrupt(at time.Time) []Action {
	m.pass(at)
	if m.target() == "" {
		return m.interruptIdle()
	}
	switch {
	case m.keys.stop.IsZero() || !m.stopRequested():
		m.keys.stop = time.Time{}
		return m.requestStop(bellcord.StopNow)
	case at.Sub(m.keys.stop) < forcing:
		return nil
	}
	actions := m.requestStop(bellcord.StopForce)
	if actions == nil {
		m.setHint("the stop is forced already; /quit exits without waiting for it")
	}
	return actions
}

// stopRequested reports whether the stop of the turn is shown as requested. It is
// not if it could not be delivered.
func (m *Model) stopRequested() bool {
	turn := m.target()
	if m.running != nil {
		return !m.running.stop.IsZero()
	}
	for _, s := range m.sent {
		if s.turn == turn {
			return !s.stop.IsZero()
		}
	}
	i := m.queue.find(turn)
	return i >= 0 && !m.queue.waits[i].stop.IsZero()
}

// interruptIdle handles Ctrl-C while nothing runs. Text in the input is moved to
// the earlier prompts; with an empty input, the second Ctrl-C leaves. One that
// was probably meant for the turn that has just ended does not count.
func (m *Model) interruptIdle() []Action {
	text := m.input.String()
	switch {
	case m.closeLayer():
	case text != "":
		m.clearInput()
		m.setHint("cleared; up shows it again")
		return m.earlier.addText(text)
	case m.now.Sub(m.keys.ended) < leaving:
		m.setHint("the turn has ended; ctrl+c twice exits")
	case m.now.Sub(m.keys.idle) <= again:
		return m.quit()
	default:
		m.keys.idle = m.now
		m.setHint("press ctrl+c again to exit")
	}
	return nil
}

func (m *Model) quit() []Action { return []Action{Leave{}} }

// requestStop shows the stop immediately and returns the action that sends it.
// While the turn is stopping, only a forced stop is sent.
func (m *Model) requestStop(mode bellcord.StopMode) []Action {
	turn := m.target()
	m.ownStops[turn] = true
	if m.keys.stop.IsZero() {
		m.keys.stop = m.now
	}
	if !m.stopping(turn, mode) {
		return nil
	}
	return []Action{Stop{Turn: turn, Mode: mode}}
}

// stopping marks a turn as stopping, and reports whether the stop has to be
// sent.
func (m *Model) stopping(turn bellcord.TurnID, mode bellcord.StopMode) bool {
	if r := m.running; r != nil && r.id == turn {
		m.questions = nil
		if !r.stop.IsZero() && (mode != bellcord.StopForce || r.mode == bellcord.StopForce) {
			return false
		}
		if r.stop.IsZero() {
			r.stop = m.now
		}
		r.mode = mode
		return true
	}
	for i := range m.sent {
		if m.sent[i].turn == turn {
			m.sent[i].stop = m.now
		}
	}
	if i := m.queue.find(turn); i >= 0 {
		m.queue.waits[i].stop = m.now
	}
	return true
}
