package chat

import (
	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/form"
)

// formOffer describes what a letter answers to a question with fields or a URL.
func formOffer(q bellcord.Question, letter string) string {
	switch {
	case letter == "n":
		return "decline"
	case letter == "y" && q.URL != "":
		return "continue"
	case letter == "y":
		return "fill in"
	}
	return ""
}

// openForm returns the form that is being filled in, or nil. A form of a question
// that is no longer open is dropped.
func (m *Model) openForm() *form.Filling {
	if m.form != nil && (m.asked() != m.form.Question.ID || m.answering == m.form.Question.ID) {
		m.form = nil
	}
	return m.form
}

// formKey handles the keys of a form: Enter sets the field, and Up goes back if
// the input is empty. All other keys edit the input. It reports whether it handled
// the key.
func (m *Model) formKey(key string) ([]Action, bool) {
	f := m.openForm()
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

// enterField sets the field that is next and, if it was the last one, sends the
// answer. A text that does not fit is kept in the input. A command, such as /stop,
// is not a value.
func (m *Model) enterField(text string) []Action {
	if command, _, err := commandNames.Parse(text, m.hosted()); err == nil && command != nil {
		return m.Submit(text)
	}
	complete, err := m.form.Enter(text)
	switch {
	case err != nil:
		if !m.plain {
			m.input.set(text)
		}
		m.setHint(err.Error())
		m.announce(m.form.Prompt())
		return nil
	case !complete:
		m.announce(m.form.Prompt())
		return nil
	}
	q := m.form.Question
	reply := m.form.Reply()
	m.answering, m.form = q.ID, nil
	return []Action{Answer{m.running.id, q.ID, reply}}
}
