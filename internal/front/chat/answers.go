package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// answerRows is the number of rows of a window in which each answer has a line.
const answerRows = 12

// answerLines returns the answers with their letters: one line for each or, in a
// small window and for a form, all in one. The marked answer, which Enter
// confirms, is highlighted. A mark does not change the number of lines, so that
// the question above does not move.
func (m *Model) answerLines(width, height int) []string {
	letter := strings.ToLower(m.marked())
	switch {
	case m.openForm() != nil:
		return wrap(styled(bold, harmless(m.form.Prompt()))+styled(dim, " · up goes back · esc stops the turn"), width)
	case letter != "" && m.reply.explains:
		return wrap(styled(bold, "› why? The reason goes to the agent")+styled(dim, " · enter rejects · esc stops the turn"), width)
	case height < answerRows || len(m.questions) > 0 && m.questions[0].HasForm():
		return m.answersInOneLine(letter, width)
	}
	var lines []string
	for _, l := range m.letters() {
		row, more := l+" "+m.answerWords(l), ""
		if m.explainable(l) {
			more = styled(dim, " · tab adds a reason")
		}
		answer := indented("  ", "  ", row+more, width)
		if l == letter {
			clear(answer)
			copy(answer, markedAnswer(row, m.confirmWords(l), width))
		}
		lines = append(lines, answer...)
	}
	return lines
}

// markedAnswer returns a marked answer, with as many of the words about its keys as fit
// into its last line.
func markedAnswer(row string, keys []string, width int) []string {
	lines := indented(styled(bold, "› "), "  ", styled(bold, row), width)
	last := len(lines) - 1
	for _, key := range keys {
		if ansi.StringWidth(lines[last]+" · "+key) <= width {
			lines[last] += styled(dim, " · ") + styled(bold, key)
		}
	}
	return lines
}

// confirmWords names the keys for the marked answer.
func (m *Model) confirmWords(letter string) []string {
	keys := []string{"enter confirms"}
	if m.explainable(letter) {
		keys = append(keys, "tab adds a reason")
	}
	return append(keys, "any other key cancels")
}

func (m *Model) answersInOneLine(letter string, width int) []string {
	if letter == "" {
		return wrap(styled(yellow, strings.Join(m.answers(" "), " · ")+" — then enter"), width)
	}
	words := append([]string{letter + " " + m.answerWords(letter)}, m.confirmWords(letter)...)
	return wrap(styled(bold, "› "+strings.Join(words, " · ")), width)
}

// answerWords describes what a letter answers in its own line. An answer for the
// session allows only the same call again.
func (m *Model) answerWords(letter string) string {
	words := m.offer(letter)
	if letter == "n" || len(m.questions) == 0 || m.questions[0].HasForm() {
		return words
	}
	if letter == "a" && words == meanings[letter] && m.questions[0].Call != "" {
		words += ": exactly this call"
	}
	return "allow " + words
}
