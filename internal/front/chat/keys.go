package chat

import (
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

// again is the longest time between two presses of a key that count as a
// repetition.
const again = 2 * time.Second

const (
	// forcing is the shortest time between the Ctrl-C that stops a turn and the
	// one that forces the stop. A key that bounces or repeats does not force it.
	forcing = 300 * time.Millisecond
	// leaving is how long after the end of a turn Ctrl-C does not count towards
	// leaving: it was meant for the turn.
	leaving = time.Second
)

// presses records key presses that may be repeated.
type presses struct {
	stop   time.Time // the first key that stopped the running turn
	escape time.Time
	idle   time.Time // the last Ctrl-C that counts towards leaving
	ended  time.Time // when the last turn ended
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
		if m.guide != nil {
			return m.quit()
		}
		return m.Interrupt(m.now)
	}
	if m.search != nil && m.searchKey(key, text) {
		return nil
	}
	if m.picker != nil {
		return m.pick(key, text)
	}
	if m.overlay != nil {
		m.overlayKey(key)
		return nil
	}
	if actions, taken := m.formKey(key); taken {
		return actions
	}
	if actions, taken := m.replyKey(key, text, quiet); taken {
		return actions
	}
	typing := m.panel.jumped && !quiet && m.offer(text) == ""
	m.panel.jumped = false
	if m.HasQuestion() && m.input.empty() && m.panel.key(key, text) {
		return nil
	}
	if actions, taken := m.queueKey(key); taken {
		return actions
	}
	if actions, taken := m.menuKey(key); taken {
		return actions
	}
	switch key {
	case "enter":
		return m.submit()
	case "up":
		m.recallKey(-1)
	case "down":
		m.recallKey(1)
	case "ctrl+r":
		m.search = &search{at: len(m.earlier.all) - 1}
	case "ctrl+g":
		return []Action{EditInput{m.input.String()}}
	case "pgup", "pgdown":
		m.setHint("scroll with your terminal; ctrl+o shows the whole conversation")
	case "ctrl+t":
		m.open = !m.open
	case "ctrl+v":
		return []Action{PasteImage{}}
	case "ctrl+p":
		return []Action{ShowList{At: AtSessions}}
	case "ctrl+o":
		m.openTranscript()
	case "ctrl+d":
		return m.endOfInput()
	case "ctrl+l":
		return []Action{Redraw{}}
	default:
		if text == "?" && m.input.empty() && m.queue.edits == "" {
			m.showHelp()
			return nil
		}
		if !m.removeImage(key) && !m.input.press(key) {
			if typing && text != "" { // the G was the first letter of a text
				m.insert("G")
			}
			m.insert(text)
		}
		return m.findFiles()
	}
	return nil
}

// endOfInput handles Ctrl-D. In an empty input it leaves, unless a turn runs.
func (m *Model) endOfInput() []Action {
	switch {
	case !m.input.empty():
		m.input.press("ctrl+d")
	case m.target() == "":
		return m.quit()
	default:
		m.setHint("a turn is running; esc stops it, /quit exits")
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

// Paste inserts pasted text: no part of it is a key. A path of an image, which a
// terminal pastes when a file is dropped, attaches the image.
func (m *Model) Paste(text string) []Action {
	m.typed = m.now
	letter := m.marked()
	if letter != "" && m.reply.explains {
		m.input.insert(text)
		return nil
	}
	if letter != "" {
		m.insert(letter)
	}
	m.reply = reply{}
	if m.picker != nil || m.overlay != nil {
		return nil
	}
	if path, is := droppedImage(text); is {
		return []Action{AttachImage{path, text}}
	}
	m.queue.leave()
	m.insert(text)
	return nil
}

// escape closes the search, a menu or the list of sessions, or drops the
// selection. If nothing of that is open, it stops the running turn.
func (m *Model) escape() []Action {
	if m.closeLayer() {
		return nil
	}
	if m.target() != "" {
		if m.confirm && m.now.Sub(m.keys.escape) > again {
			m.keys.escape = m.now
			m.setHint("press esc again to stop")
			return nil
		}
		return m.requestStop(bellcord.StopNow)
	}
	if m.queue.edits != "" {
		m.clearInput()
	}
	return nil
}

// layered reports whether Esc closes something that is open on top of the
// conversation.
func (m *Model) layered() bool {
	return m.search != nil || m.picker != nil || m.overlay != nil || m.undo != nil || m.queue.focused() || len(m.menuRows()) > 0
}

// closeLayer closes what is open on top of the conversation, and reports whether
// anything was.
func (m *Model) closeLayer() bool {
	switch {
	case m.search != nil:
		m.search = nil
	case m.picker != nil && m.picker.closePart():
	case m.picker != nil:
		m.picker = nil
	case m.overlay != nil:
		m.overlay = nil
	case m.closeUndo("Cancelled: no file was changed."):
	case m.queue.focused():
		m.queue.leave()
	case len(m.menuRows()) > 0:
		m.menu.closed = m.input.String()
	default:
		return false
	}
	return true
}

func (m *Model) clearInput() {
	m.input.set("")
	m.images = nil
	m.queue.edits = ""
	m.queue.leave()
}
