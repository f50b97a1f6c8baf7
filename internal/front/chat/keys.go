package chat

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
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
	m.Tick(at)
	quiet := m.input.rested()
	var actions []Action
	for _, s := range m.input.separate(stroke{key, text}) {
		actions = append(actions, m.press(s.key, s.text, quiet)...)
	}
	return actions
}

func (m *Model) press(key, text string, quiet bool) []Action {
	switch key {
	case "esc":
		m.questions.reply = reply{}
		return m.escape()
	case "ctrl+c":
		if m.guide != nil {
			return []Action{Leave{}}
		}
		return m.Interrupt(m.now)
	}
	if m.input.search != nil && m.input.searchKey(key, text) {
		return nil
	}
	if m.input.picker != nil {
		return m.input.pick(key, text)
	}
	if m.input.overlay != nil {
		if m.input.overlay.key(key) {
			m.input.overlay = nil
		}
		return nil
	}
	if actions, taken := m.formKey(key); taken {
		return actions
	}
	if actions, taken := m.input.replyKey(key, text, quiet); taken {
		return actions
	}
	typing := m.questions.panel.jumped && !quiet && m.questions.offer(text) == ""
	m.questions.panel.jumped = false
	if m.HasQuestion() && m.input.empty() && m.questions.panel.key(key, text) {
		return nil
	}
	if actions, taken := m.input.queueKey(key); taken {
		return actions
	}
	if runs, taken := m.input.menuKey(key); runs {
		return m.submit()
	} else if taken {
		return nil
	}
	switch key {
	case "enter":
		return m.submit()
	case "up":
		m.input.recallKey(-1)
	case "down":
		m.input.recallKey(1)
	case "ctrl+r":
		m.input.search = &search{at: len(m.input.earlier.all) - 1}
	case "ctrl+g":
		return []Action{EditInput{m.input.String()}}
	case "pgup", "pgdown":
		m.setHint("scroll with your terminal; ctrl+o shows the whole conversation")
	case "ctrl+t":
		m.unfolded = !m.unfolded
	case "ctrl+v":
		return []Action{PasteImage{}}
	case "ctrl+p":
		return []Action{ShowList{At: AtSessions}}
	case "ctrl+o":
		m.input.overlay = &overlay{title: "Transcript"}
	case "ctrl+d":
		return m.endOfInput()
	case "ctrl+l":
		return []Action{Redraw{}}
	default:
		if text == "?" && m.input.empty() && m.input.edits == "" {
			m.input.showHelp()
			return nil
		}
		if !m.input.removeImage(key) && !m.input.press(key) {
			if typing && text != "" { // the G was the first letter of a text
				m.input.typeText("G")
			}
			m.input.typeText(text)
		}
		return m.input.menu.find()
	}
	return nil
}

// endOfInput handles Ctrl-D. In an empty input it leaves, unless a turn runs.
func (m *Model) endOfInput() []Action {
	switch {
	case !m.input.empty():
		m.input.press("ctrl+d")
	case m.turns.target() == "":
		return []Action{Leave{}}
	default:
		m.setHint("a turn is running; esc stops it, /quit exits")
	}
	return nil
}

// Paste inserts pasted text: no part of it is a key. A path of an image, which a
// terminal pastes when a file is dropped, attaches the image.
func (m *Model) Paste(text string) []Action {
	m.typed = m.now
	letter := m.questions.marked()
	if letter != "" && m.questions.reply.explains {
		m.input.insert(text)
		return nil
	}
	if letter != "" {
		m.input.typeText(letter)
	}
	m.questions.reply = reply{}
	if m.input.picker != nil || m.input.overlay != nil {
		return nil
	}
	if path, is := droppedImage(text); is {
		return []Action{AttachImage{path, text}}
	}
	m.turns.queue.leave()
	m.input.typeText(text)
	return nil
}

// escape closes the search, a menu or the list of sessions, or drops the
// selection. If nothing of that is open, it stops the running turn.
func (m *Model) escape() []Action {
	if m.input.closeLayer() {
		return nil
	}
	if m.turns.target() != "" {
		if m.input.confirm && m.now.Sub(m.input.keys.escape) > again {
			m.input.keys.escape = m.now
			m.setHint("press esc again to stop")
			return nil
		}
		return m.requestStop(bellcord.StopNow)
	}
	if m.input.edits != "" {
		m.input.clear()
	}
	return nil
}

// formKey handles the keys of a form: Enter sets the field, and Up goes back if
// the input is empty. All other keys edit the input. It reports whether it handled
// the key.
func (m *Model) formKey(key string) ([]Action, bool) {
	f := m.questions.openForm()
	if f == nil {
		return nil, false
	}
	switch {
	case key == "enter":
		text := m.input.String()
		m.input.set("")
		return m.enterField(text), true
	case key == "up" && m.input.empty():
		f.Back()
		return nil, true
	}
	return nil, false
}

// enterField enters a text into the form. A text that does not fit is kept in the input.
// A command, such as /stop, is not a value.
func (m *Model) enterField(text string) []Action {
	if command, _, err := commandNames.Parse(text, m.hosted()); err == nil && command != nil {
		return m.Submit(text)
	}
	actions, err := m.questions.enterField(text)
	if err != nil && !m.plain {
		m.input.set(text)
	}
	return actions
}

// Interrupt handles Ctrl-C: the first one stops the turn, a later one forces the
// stop. If nothing runs, it clears the input; with an empty input, the second one
// leaves.
func (m *Model) Interrupt(at time.Time) []Action {
	m.Tick(at)
	if m.turns.target() == "" {
		return m.interruptIdle()
	}
	switch {
	case m.input.keys.stop.IsZero() || !m.turns.stopRequested():
		m.input.keys.stop = time.Time{}
		return m.requestStop(bellcord.StopNow)
	case at.Sub(m.input.keys.stop) < forcing:
		return nil
	}
	actions := m.requestStop(bellcord.StopForce)
	if actions == nil {
		m.setHint("the stop is forced already; /quit exits without waiting for it")
	}
	return actions
}

// interruptIdle handles Ctrl-C while nothing runs. Text in the input is moved to
// the earlier prompts; with an empty input, the second Ctrl-C leaves. One that
// was probably meant for the turn that has just ended does not count.
func (m *Model) interruptIdle() []Action {
	text := m.input.String()
	switch {
	case m.input.closeLayer():
	case text != "":
		m.input.clear()
		m.setHint("cleared; up shows it again")
		return m.input.earlier.addText(text)
	case m.now.Sub(m.input.keys.ended) < leaving:
		m.setHint("the turn has ended; ctrl+c twice exits")
	case m.now.Sub(m.input.keys.idle) <= again:
		return []Action{Leave{}}
	default:
		m.input.keys.idle = m.now
		m.setHint("press ctrl+c again to exit")
	}
	return nil
}

// requestStop shows the stop immediately and returns the action that sends it.
// While the turn is stopping, only a forced stop is sent.
func (m *Model) requestStop(mode bellcord.StopMode) []Action {
	turn := m.turns.target()
	if m.input.keys.stop.IsZero() {
		m.input.keys.stop = m.now
	}
	if !m.stop(turn, mode) {
		return nil
	}
	return []Action{Stop{Turn: turn, Mode: mode}}
}

// stop shows a turn as stopping, and reports whether the stop has to be sent.
func (m *Model) stop(turn bellcord.TurnID, mode bellcord.StopMode) bool {
	m.turns.ownStops[turn] = true
	if m.turns.isRunning(turn) {
		m.questions.open = nil
	}
	return m.turns.stop(turn, mode)
}

// stroke is a key's name and the text that it types.
type stroke struct{ key, text string }

// editsWithAlt are the keys that edit the input when they are pressed with Alt.
var editsWithAlt = map[string]bool{"b": true, "f": true, "d": true, "enter": true, "backspace": true, "left": true, "right": true}

// separate returns the keys that a key with Alt stands for. While a turn runs,
// they are an Esc and another key that arrived together, so a stop is never
// lost. Alt still edits text in the input.
func (in *input) separate(s stroke) []stroke {
	rest, alt := withoutAlt(s.key)
	switch {
	case !alt || in.distinct:
		return []stroke{s}
	case rest == "esc":
		return []stroke{{key: "esc"}, {key: "esc"}}
	case rest == "ctrl+c":
		return []stroke{{key: "ctrl+c"}}
	case in.turns.target() == "" || editsWithAlt[rest] && !in.empty():
		return []stroke{s}
	}
	return []stroke{{key: "esc"}, {rest, written(rest)}}
}

// Unknown handles bytes that are not a recognized key. While a turn runs, an
// Esc in front of them stops it: it arrived together with text such as
// "Please".
func (m *Model) Unknown(bytes string, at time.Time) []Action {
	m.Tick(at)
	text, escaped := strings.CutPrefix(bytes, "\x1b")
	if !escaped || m.distinct || m.turns.target() == "" || text == "" || strings.ContainsAny(text[:1], "[]_^") {
		return nil // a reply of the terminal, or an unsupported key
	}
	actions := m.press("esc", "", m.input.rested())
	for _, r := range text {
		if unicode.IsPrint(r) {
			actions = append(actions, m.press(string(r), string(r), false)...)
		}
	}
	return actions
}

// withoutAlt removes Alt from a key's name.
func withoutAlt(key string) (string, bool) {
	if rest, alt := strings.CutPrefix(key, "alt+"); alt {
		return rest, true
	}
	if rest, alt := strings.CutPrefix(key, "ctrl+alt+"); alt {
		return "ctrl+" + rest, true
	}
	return key, false
}

// written returns the text that a key types, or "".
func written(key string) string {
	if key == "space" {
		return " "
	}
	letter, shifted := strings.CutPrefix(key, "shift+")
	r, size := utf8.DecodeRuneInString(letter)
	if size != len(letter) {
		return ""
	}
	if shifted {
		r = unicode.ToUpper(r)
	}
	return string(r)
}
