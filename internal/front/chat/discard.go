package chat

import (
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/slash"
)

// focused reports whether keys are for the queue: a prompt is selected, or the
// last discard can be undone.
func (q *queue) focused() bool { return q.picked != "" || len(q.discarded) > 0 }

// leave takes the focus from the queue.
func (q *queue) leave() { q.picked, q.discarded = "", nil }

// forgetDiscard removes the record of a discard that has failed.
func (q *queue) forgetDiscard(turn bellcord.TurnID) {
	q.discarded = slices.DeleteFunc(q.discarded, func(w waiting) bool { return w.turn == turn })
}

// queueKey handles keys for queued prompts while the input is empty, and
// reports whether it handled the key. Any other key takes the focus from the
// queue.
func (m *Model) queueKey(key string) ([]Action, bool) {
	q := &m.queue
	switch {
	case !m.input.empty():
		return nil, false
	case !q.focused():
		if key != "tab" || len(q.waits) == 0 {
			return nil, false
		}
		q.move(-1)
		return nil, true
	}
	switch key {
	case "up":
		q.move(-1)
	case "down":
		q.move(1)
	case "tab":
		q.leave()
	case "u":
		return m.undoDiscard(), true
	default:
		if i := q.find(q.picked); i >= 0 {
			return m.promptKey(q.waits[i], key)
		}
		q.leave()
		return nil, false
	}
	return nil, true
}

// promptKey handles a key for the selected prompt, and reports whether it handled
// the key.
func (m *Model) promptKey(w waiting, key string) ([]Action, bool) {
	switch key {
	case "enter", "e":
		m.queue.leave()
		m.queue.edits = w.turn
		m.input.set(w.prompt.Text)
	case "d", "delete", "backspace":
		return m.discard(w), true
	case "s":
		m.queue.leave()
		return []Action{Send{w.turn}}, true
	default:
		m.queue.leave()
		return nil, false
	}
	return nil, true
}

// discard stops a queued prompt and selects the next one, or the one before if it
// was the last.
func (m *Model) discard(w waiting) []Action {
	q := &m.queue
	at := q.find(w.turn) + 1
	if at == len(q.waits) {
		at -= 2
	}
	q.picked = ""
	if at >= 0 {
		q.picked = q.waits[at].turn
	}
	q.discarded = append(q.discarded, w)
	m.ownStops[w.turn] = true
	return []Action{Stop{Turn: w.turn, Mode: bellcord.StopNow}}
}

// undoDiscard sends the prompt that was discarded last again: it becomes the last
// one of the queue. If nothing runs, the prompt would start at once; it is then put
// into the input instead.
func (m *Model) undoDiscard() []Action {
	n := len(m.queue.discarded) - 1
	if n < 0 {
		m.setHint("no prompt was discarded")
		return nil
	}
	p := m.queue.discarded[n].prompt
	m.queue.discarded = m.queue.discarded[:n]
	if m.target() == "" {
		m.queue.leave()
		m.input.set(asInput(p))
		m.images = slices.Clone(p.Images)
		m.setHint("nothing runs, so it was not queued again: the prompt is in the input")
		return nil
	}
	m.setHint("queued again, as the last prompt")
	turn := bellcord.NewTurnID()
	m.sent = append(m.sent, sent{turn: turn, text: p.Text})
	return []Action{Prompt{
		Session: m.session, Draft: m.draft, Turn: turn, Task: p.Task,
		Text: p.Text, Images: p.Images, Files: p.Files, Links: p.Links, Blocks: p.Blocks,
	}}
}

// asInput returns the input that sends a prompt, except its images. The texts of
// its files become a part of it.
func asInput(p bellcord.Prompt) string {
	switch text := p.FullText(); {
	case p.Task == bellcord.TaskCompact:
		return strings.TrimSpace("/compact " + text)
	case p.Task == bellcord.TaskCommand:
		return text
	case isCommand(text):
		return " " + text
	default:
		return slash.Escape(text)
	}
}
