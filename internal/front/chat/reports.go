package chat

import (
	"time"

	"github.com/bellcord/bellcord"
)

// Apply applies the result of an action.
func (m *Model) Apply(r Report) {
	switch r.Of.(type) {
	case PasteImage, AttachImage:
		m.input.attached(r)
		return
	}
	if r.Err != nil {
		m.failed(r)
		return
	}
	switch of := r.Of.(type) {
	case Prompt:
		if r.Session != nil && m.session.ID == "" && of.Draft == m.draft {
			m.session = *r.Session
		}
	case Open:
		if r.Session.ID != m.session.ID {
			m.showSession(*r.Session)
		}
	case Begin:
		m.showNewSession(of.Like)
	case Change:
		switch {
		case r.Session == nil && m.session.ID == "":
			m.configured(of.To)
			m.story.showNotice(settings(m.session))
		case r.Session != nil && r.Session.ID == m.session.ID:
			m.session = *r.Session
		}
	case ShowList:
		if of.At == AtSessions {
			m.input.choose(r.Sessions)
		}
	case ShowDiff:
		m.story.addDiff(r.Diff)
	case PreviewUndo:
		if r.Preview != nil {
			m.askUndo(of, *r.Preview)
		}
	case FindFiles:
		menu := &m.input.menu
		if of == menu.wanted || menu.files.query != menu.wanted { // results can arrive in another order
			menu.files = fileList{query: of, found: r.Files, all: r.AllFiles}
		}
	case Search:
		if m.input.picker != nil {
			m.input.picker.addFound(of.Query, r.Found)
		}
	case Rename:
		if m.input.picker != nil {
			m.input.picker.renamed(of.Session, of.Title)
		}
	case Delete:
		if m.input.picker != nil {
			m.input.picker.removed(of.Session)
		}
	}
	if r.Text != "" {
		m.story.showNotice(r.Text)
	}
}

func (m *Model) failed(r Report) {
	words := r.Err.Error()
	switch of := r.Of.(type) {
	case Prompt:
		m.turns.unsend(of.Turn)
		if m.input.empty() && of.Task != bellcord.TaskCompact {
			m.input.set(of.Text) // for another attempt
			m.input.images = of.Images
		}
		words = "prompt not accepted: " + words
	case Stop:
		if m.turns.isRunning(of.Turn) {
			m.turns.running.stop = time.Time{}
		}
		m.turns.queue.forgetDiscard(of.Turn)
		words = "stop not delivered: " + words + "; press again"
	case Answer:
		if m.questions.sending == of.Question {
			m.questions.sending, m.questions.form = "", nil
		}
		words = "answer not delivered: " + words
	case Edit:
		words = "prompt not changed: " + words
	case Send:
		words = "prompt not sent: " + words
	case FindFiles:
		if of == m.input.menu.wanted {
			m.input.menu.files = fileList{query: of}
		}
		return // the text is not completed, but it can be sent
	case Search:
		if m.input.picker != nil {
			m.setHint("only titles, directories and ids are searched: " + words)
		}
		return
	case Rename:
		words = "session not renamed: " + words
	case Delete:
		words = "session not deleted: " + words
	case Undo:
		words = "not undone: " + words
	case Rewind:
		words = "not rewound: " + words
	case Remember:
		words = "prompt not kept for later sessions: " + words
	}
	m.story.showNotice(words)
}
