package chat

import (
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/front/line"
)

// reply is a letter that may be the answer to a question, or the first of a
// prompt that somebody writes meanwhile. It is an answer when nothing follows it,
// or Enter does: who writes "yes, but" has allowed nothing.
type reply struct {
	question string // that was open; "" when there is no letter
	at       time.Time
}

// pause is how long nothing follows a letter that is an answer.
const pause = 300 * time.Millisecond

var replies = map[string]line.Reply{"y": line.Yes, "a": line.ForSession, "n": line.No}

// replyKey takes a letter while a question is open and nothing is being written.
func (m *Model) replyKey(key, text string) bool {
	open := m.reply.question
	m.reply = reply{}
	if key == "enter" && open != "" {
		m.reply = reply{question: open} // long ago: it is one
		return true
	}
	_, is := replies[strings.ToLower(text)]
	if !is || !m.Asked() || !m.input.empty() || m.queue.picked != "" {
		return false
	}
	m.reply = reply{m.questions[0].ID, m.now}
	m.input.insert(text)
	return true
}

// replied gives the answer, when the letter has turned out to be one.
func (m *Model) replied() []Action {
	if m.reply.question == "" || m.now.Sub(m.reply.at) < pause {
		return nil
	}
	letter, open := m.input.String(), m.reply.question
	m.reply = reply{}
	if !m.Asked() || m.questions[0].ID != open {
		return nil // a stop closed it, or somebody else was faster: it stays a letter
	}
	m.input.set("")
	return m.answer(letter)
}

// answer gives an answer to the question that has been open longest. While one is
// on its way no other is given: the same letter twice must not answer two.
func (m *Model) answer(letter string) []Action {
	r, is := replies[strings.ToLower(letter)]
	if !is || !m.Asked() || m.running == nil || m.answering == m.questions[0].ID {
		return nil
	}
	q := m.questions[0]
	m.answering = q.ID
	return []Action{Answer{m.running.id, q.ID, line.Choose(q, r)}}
}
