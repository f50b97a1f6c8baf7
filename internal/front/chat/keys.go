package chat

import (
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

// again is the longest time between two presses of a key that count as a
// repetition.
const again = 2 * time.Second

// presses records key presses that may be repeated.
type presses struct {
	interrupts int
	interrupt  time.Time // the last Ctrl-C while a turn ran
	escape     time.Time
	idle       time.Time // the last Ctrl-C while nothing ran
}

// Press handles a key by its name, such as "esc", "ctrl+c" or "a", with the
// text that it types, if any. It returns the actions to run.
func (m *Model) Press(key, text string, at time.Time) []Action {
	m.pass(at)
	quiet := m.rested()
	var actions []Action
	for _, s := range m.separate(stroke{key, text}) {
		actions = append(actions, m.press(s.key, s.text, quiet)...)
	}
	return actions
}

func (m *Model) press(key, text string, quiet bool) []Action {
	switch key {
	case "esc":
		m.reply = reply{}
		return m.escape()
	case "ctrl+c":
		return m.Interrupt(m.now)
	}
	if m.picker != nil {
		return m.pick(key)
	}
	if actions, taken := m.replyKey(key, text, quiet); taken {
		return actions
	}
	if m.HasQuestion() && m.input.empty() && m.panel.key(key) {
		return nil
	}
	if actions, taken := m.queueKey(key); taken {
		return actions
	}
	switch key {
	case "enter":
		return m.submit()
	case "pgup":
		m.scroll += 10
	case "pgdown":
		m.scroll = max(0, m.scroll-10)
	case "ctrl+t":
		m.open = !m.open
	case "ctrl+p":
		return []Action{ShowList{At: AtSessions}}
	default:
		if !m.input.press(key) {
			m.input.insert(text)
		}
	}
	return nil
}

// rested reports whether no key was pressed for a while, and records that one
// is pressed now.
func (m *Model) rested() bool {
	before := m.typed
	m.typed = m.now
	return m.now.Sub(before) >= line.Settling
}

// Paste inserts pasted text: no part of it is a key.
func (m *Model) Paste(text string) {
	m.typed = m.now
	if letter := m.marked(); letter != "" {
		m.input.insert(letter)
	}
	m.reply = reply{}
	if m.picker == nil {
		m.input.insert(text)
	}
}

// escape stops the running turn. If nothing runs, it closes the picker, drops
// the selection or clears the input.
func (m *Model) escape() []Action {
	if m.target() != "" {
		if m.confirm && m.now.Sub(m.keys.escape) > again {
			m.keys.escape = m.now
			m.setHint("press esc again to stop")
			return nil
		}
		return m.requestStop(bellcord.StopNow)
	}
	switch {
	case m.picker != nil:
		m.picker = nil
	case m.queue.picked != "":
		m.queue.picked = ""
	default:
		m.clearInput()
	}
	return nil
}

func (m *Model) clearInput() {
	m.input.set("")
	m.queue.edits, m.queue.picked = "", ""
}

// Interrupt handles Ctrl-C: the first one stops the turn, the second forces the
// stop, the third leaves. If nothing runs, the first one clears the input and
// the second leaves.
func (m *Model) Interrupt(at time.Time) []Action {
	m.pass(at)
	if m.target() == "" {
		if at.Sub(m.keys.idle) <= again {
			return m.quit()
		}
		m.keys.idle = at
		m.picker = nil
		m.clearInput()
		m.setHint("press ctrl+c again to exit")
		return nil
	}
	if at.Sub(m.keys.interrupt) > again {
		m.keys.interrupts = 0
	}
	m.keys.interrupt = at
	m.keys.interrupts++
	switch m.keys.interrupts {
	case 1:
		return m.requestStop(bellcord.StopNow)
	case 2:
		return m.requestStop(bellcord.StopForce)
	}
	return m.quit()
}

func (m *Model) quit() []Action { return []Action{Leave{}} }

// requestStop shows the stop immediately and returns the action that sends it.
// While the turn is stopping, only a forced stop is sent.
func (m *Model) requestStop(mode bellcord.StopMode) []Action {
	turn := m.target()
	m.mine[turn] = true
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

// queueKey handles keys for queued prompts while the input is empty, and
// reports whether it handled the key.
func (m *Model) queueKey(key string) ([]Action, bool) {
	if !m.input.empty() || len(m.queue.waits) == 0 {
		return nil, false
	}
	switch key {
	case "up":
		m.queue.move(-1)
		return nil, true
	case "down":
		m.queue.move(1)
		return nil, true
	}
	i := m.queue.find(m.queue.picked)
	if i < 0 {
		return nil, false
	}
	w := m.queue.waits[i]
	switch key {
	case "enter", "e":
		m.queue.edits, m.queue.picked = w.turn, ""
		m.input.set(w.text)
	case "d", "delete", "backspace":
		m.queue.picked = ""
		m.mine[w.turn] = true
		return []Action{Stop{Turn: w.turn, Mode: bellcord.StopNow}}, true
	case "s":
		m.queue.picked = ""
		return []Action{Send{w.turn}}, true
	default:
		return nil, false
	}
	return nil, true
}
