package chat

import (
	"strings"

	"github.com/bellcord/bellcord/internal/front/line"
)

// reply is the answer that is marked and not confirmed yet. A letter marks it
// and Enter confirms it, so text that is typed while a question appears
// approves nothing.
type reply struct {
	question string // its question; "" if nothing is marked
	letter   string
}

var replies = map[string]line.Reply{"y": line.Yes, "a": line.ForSession, "n": line.No}

// marked returns the letter that is marked for the open question, or "".
func (m *Model) marked() string {
	if !m.Asked() || m.reply.question != m.questions[0].ID {
		return ""
	}
	return m.reply.letter
}

// replyKey handles the keys that mark and confirm an answer. Any other key
// removes the mark; if that key types text, the letter is inserted before it.
func (m *Model) replyKey(key, text string, quiet bool) ([]Action, bool) {
	letter := m.marked()
	m.reply = reply{}
	switch {
	case letter != "" && key == "enter":
		return m.answerQuestion(letter), true
	case letter != "":
		if text != "" {
			m.input.insert(letter)
		}
	case quiet && m.input.empty() && m.queue.picked == "" && m.panel.settled(m):
		if _, is := replies[strings.ToLower(text)]; is {
			m.reply = reply{m.questions[0].ID, text}
			return nil, true
		}
	}
	return nil, false
}

// answerQuestion answers the question that has been open longest. While its
// answer is being sent it cannot be answered again, so that pressing a letter
// twice does not answer two questions.
func (m *Model) answerQuestion(letter string) []Action {
	r, is := replies[strings.ToLower(letter)]
	if !is || !m.Asked() || m.running == nil || m.answering == m.questions[0].ID {
		return nil
	}
	q := m.questions[0]
	m.answering = q.ID
	return []Action{Answer{m.running.id, q.ID, line.Choose(q, r)}}
}
