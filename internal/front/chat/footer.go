package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
)

// footerWidth is the narrowest window that has a footer.
const footerWidth = 40

// headerLines returns the first lines of the program: its version, the settings
// of the session and, for a new session, how to begin.
func (s *state) headerLines(version string, guided bool) []string {
	head := "Bellcord " + version + " · " + strings.Join(s.settingWords(true), " · ")
	if s.session.ID != "" || guided {
		return []string{head}
	}
	return []string{head, `Ask something: "explain this repository". @ adds a file, / commands, ? help.`}
}

// footerLines returns the line below the input: the settings or the keys on its
// left side, the size of the context and the cost of the session on its right. A
// menu and a question have their own keys.
func (m *Model) footerLines(width, height int) []string {
	if width < footerWidth || height < 6 || m.input.search != nil || m.HasQuestion() || len(m.input.menuRows()) > 0 {
		return nil
	}
	right := m.story.contextWords()
	if cost := m.story.costWords(); cost != "" && m.turns.target() == "" {
		right = strings.TrimPrefix(right+" · "+cost, " · ")
	}
	room := width - 1 - len("  ") - ansi.StringWidth(right)
	if right != "" {
		room -= 2
	}
	left := m.footerKeys(room)
	gap := width - 1 - len("  ") - ansi.StringWidth(left) - ansi.StringWidth(right)
	line := "  " + left
	if right != "" {
		line += strings.Repeat(" ", max(2, gap)) + right
	}
	return []string{styled(dim, line)}
}

// footerKeys returns the left side of the footer in at most width columns.
func (m *Model) footerKeys(width int) string {
	keys, last := m.input.lengthWords(), m.story.receipt
	switch {
	case m.turns.target() != "":
		keys = append(keys, "enter queues")
	case len(keys) > 0:
	case len(m.story.blocks.turns) == 0:
		keys = []string{"enter send", "alt+enter new line", "ctrl+p sessions"}
	case !m.input.empty() || last == nil:
	case last.End == bellcord.EndStopped || last.Incomplete == bellcord.IncompleteMaxOutput:
		keys = []string{"/continue", "/receipt"}
	}
	if len(keys) > 0 {
		return ansi.Truncate(strings.Join(keys, " · "), width, "…")
	}
	return m.settingsLine(width)
}

// settingsLine returns the settings of the session in at most width columns. A path that
// does not fit loses its beginning.
func (s *state) settingsLine(width int) string {
	words := s.settingWords(false)
	for i := range words {
		words[i] = harmless(oneLine(words[i]))
	}
	line := strings.Join(words, " · ")
	over := ansi.StringWidth(line) - width
	if over <= 0 {
		return line
	}
	last := len(words) - 1
	if path := ansi.StringWidth(words[last]); s.placeWords() != "" && path > over+1 {
		words[last] = "…" + ansi.TruncateLeft(words[last], over+1, "")
		line = strings.Join(words, " · ")
	}
	return ansi.Truncate(line, width, "…")
}

// contextWords returns how full the context is, or "" if that is unknown. Before
// the first turn it is empty.
func (s *story) contextWords() string {
	if len(s.blocks.turns) == 0 && !s.hosted() && s.window != nil && s.window(s.session.Model) > 0 {
		return "ctx 0%"
	}
	return s.context.String()
}

// costWords returns the cost of the session, or "" if it is unknown. The status
// shows the cost of the running turn.
func (s *story) costWords() string {
	switch {
	case s.spent.total == 0 && len(s.blocks.turns) == 0:
		return "$0.00"
	case s.spent.total == 0:
		return ""
	case s.spent.estimated:
		return "~" + money(s.spent.total)
	}
	return money(s.spent.total)
}
