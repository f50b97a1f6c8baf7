package chat

import (
	"fmt"
	"math"
	"strings"

	"github.com/bellcord/bellcord/internal/front/line"
)

// insert adds typed or pasted text to the input. It records whether a question was
// open meanwhile.
func (m *Model) insert(text string) {
	m.replies = m.HasQuestion() || m.replies && !m.input.empty()
	m.input.insert(text)
}

// refusesAnswer reports whether a text must not be sent because it is probably the
// answer to a question, and shows why. Such a text is never a prompt while a
// question is open, or if it was typed while one was.
func (m *Model) refusesAnswer(text string) bool {
	switch {
	case !line.LooksLikeAnswer(text):
		return false
	case m.HasQuestion():
		m.setHint("not sent: a question is open; answer it with " + strings.Join(m.letters(), ", "))
	case m.replies:
		m.setHint("not sent: the question is closed; to send it as a prompt, type it again")
	default:
		return false
	}
	m.replies = false
	return true
}

// notYet returns why letters do not answer the open question yet, or "". It is
// about the answers that allow something.
func (m *Model) notYet() string {
	since := m.panel.since("")
	switch {
	case m.panel.question != m.asked() || m.panel.shown.IsZero(): // it is drawn later, or does not fit
		return "not yet"
	case since.IsZero():
		return "read all first: end"
	case m.typed.After(since):
		since = m.typed
	}
	if left := line.Settling - m.now.Sub(since); left > 0 {
		return fmt.Sprintf("not yet: %.1f s", math.Ceil(left.Seconds()*10)/10)
	}
	return ""
}
