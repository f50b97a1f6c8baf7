package chat

import (
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/form"
	"github.com/bellcord/bellcord/internal/front/line"
)

// reply is the answer that is marked and not confirmed yet. A letter marks it
// and Enter confirms it, so text that is typed while a question appears
// approves nothing.
type reply struct {
	question string // its question; "" if nothing is marked
	letter   string
	explains bool // the input is the reason of a rejection
}

var (
	replies  = map[string]line.Reply{"y": line.Yes, "a": line.ForSession, "n": line.No}
	meanings = map[string]string{"y": "once", "a": "for this session", "n": "reject"}
)

// offer describes what a letter answers to a question, or returns "" if it is no
// answer to it: another agent may have no choice that allows more than once.
func offer(q bellcord.Question, letter string) string {
	letter = strings.ToLower(letter)
	if _, is := replies[letter]; !is {
		return ""
	}
	if q.HasForm() {
		return formOffer(q, letter)
	}
	return harmless(line.Offer(q, replies[letter], meanings[letter]))
}

// offer describes what a letter answers to the open question, or returns "" if it is
// no answer.
func (m *Model) offer(letter string) string {
	switch {
	case len(m.questions) > 0:
		return offer(m.questions[0], letter)
	case m.undo != nil:
		return m.undo.offer(letter)
	}
	return ""
}

// letters returns the letters that answer the open question.
func (m *Model) letters() []string {
	var letters []string
	for _, letter := range []string{"y", "a", "n"} {
		if m.offer(letter) != "" {
			letters = append(letters, letter)
		}
	}
	return letters
}

// answers lists the letters that answer the open question, each with what it
// answers after the text between.
func (m *Model) answers(between string) []string {
	var parts []string
	for _, letter := range m.letters() {
		parts = append(parts, letter+between+m.offer(letter))
	}
	return parts
}

// marked returns the letter that is marked for the open question, or "".
func (m *Model) marked() string {
	if !m.HasQuestion() || m.reply.question != m.asked() {
		return ""
	}
	return m.reply.letter
}

// replyKey handles the keys that mark and confirm an answer. Any other key
// removes the mark; if that key types text, the letter is inserted before it.
func (m *Model) replyKey(key, text string, quiet bool) ([]Action, bool) {
	letter := m.marked()
	if letter != "" && m.reply.explains {
		return m.reasonKey(key, text), true
	}
	m.reply = reply{}
	switch {
	case letter != "" && key == "enter":
		return m.answerQuestion(letter, ""), true
	case key == "tab" && m.explainable(letter):
		m.reply = reply{m.asked(), letter, true}
		return nil, true
	case letter != "":
		if text != "" {
			m.insert(letter)
		}
	case quiet && m.input.empty() && !m.queue.focused() && m.panel.settled(m, text):
		if m.offer(text) != "" {
			m.reply = reply{question: m.asked(), letter: text}
			return nil, true
		}
	}
	return nil, false
}

// explainable reports whether a reason can be added to an answer.
func (m *Model) explainable(letter string) bool {
	return strings.ToLower(letter) == "n" && len(m.questions) > 0 && !m.questions[0].HasForm()
}

// reasonKey handles the keys of the reason of a rejection.
func (m *Model) reasonKey(key, text string) []Action {
	if key != "enter" {
		if !m.input.press(key) {
			m.input.insert(text)
		}
		return nil
	}
	reason, letter := []rune(strings.TrimSpace(m.input.String())), m.reply.letter
	m.input.set("")
	m.reply = reply{}
	return m.answerQuestion(letter, string(reason[:min(len(reason), bellcord.MaxReason)]))
}

// answerQuestion answers the question that has been open longest. While its
// answer is being sent it cannot be answered again, so that pressing a letter
// twice does not answer two questions.
func (m *Model) answerQuestion(letter, reason string) []Action {
	if len(m.questions) == 0 && m.undo != nil {
		return m.answerUndo(letter)
	}
	if len(m.questions) == 0 || m.running == nil || m.answering == m.questions[0].ID || offer(m.questions[0], letter) == "" {
		return nil
	}
	q := m.questions[0]
	if len(q.Fields) > 0 && strings.ToLower(letter) == "y" {
		m.form = form.NewFilling(q)
		m.announce(m.form.Prompt())
		return nil
	}
	m.answering = q.ID
	return []Action{Answer{m.running.id, q.ID, bellcord.Reply{Choice: line.Choose(q, replies[strings.ToLower(letter)]), Reason: reason}}}
}
