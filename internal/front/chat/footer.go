package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plural"
)

// footerWidth is the narrowest window that has a footer.
const footerWidth = 40

// headerLines returns the first lines of the program: its version, the settings
// of the session and, for a new session, how to begin.
func (m *Model) headerLines(version string) []string {
	head := "Bellcord " + version + " · " + strings.Join(m.settingWords(true), " · ")
	if m.session.ID != "" || m.guide != nil {
		return []string{head}
	}
	return []string{head, `Ask something: "explain this repository". @ adds a file, / commands, ? help.`}
}

// settingWords returns the settings of the session and its directory.
func (m *Model) settingWords(explained bool) []string {
	s := m.session
	var words []string
	switch {
	case s.Agent != "" && s.Model != "":
		words = append(words, s.Agent, s.Model)
	case s.Agent != "":
		words = append(words, s.Agent)
	case s.Model == "":
		words = append(words, "default model")
	case explained && strings.HasPrefix(s.Model, "fake/"):
		words = append(words, s.Model+" (no AI, repeats you)")
	default:
		words = append(words, s.Model)
	}
	if s.Mode == "" {
		words = append(words, "default mode")
	} else {
		words = append(words, s.Mode)
	}
	if place := m.placeWords(); place != "" {
		words = append(words, place)
	}
	return words
}

// place is the directory of the session as the user reads it, such as
// "~/shop (main)".
type place struct{ dir, words string }

func (m *Model) placeWords() string {
	dir := m.session.Dir
	if m.place.dir != dir {
		m.place = place{dir, dir}
		if m.placeOf != nil && dir != "" {
			m.place.words = m.placeOf(dir)
		}
	}
	return m.place.words
}

// footerLines returns the line below the input: the settings or the keys on its
// left side, the size of the context and the cost of the session on its right. A
// menu and a question have their own keys.
func (m *Model) footerLines(width, height int) []string {
	if width < footerWidth || height < 6 || m.search != nil || m.HasQuestion() || len(m.menuRows()) > 0 {
		return nil
	}
	right := m.contextWords()
	if cost := m.costWords(); cost != "" && m.target() == "" {
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

// footerKeys returns the left side of the footer in at most width columns. A path
// that does not fit loses its beginning.
func (m *Model) footerKeys(width int) string {
	keys := m.lengthWords()
	switch {
	case m.target() != "":
		keys = append(keys, "enter queues")
	case len(keys) > 0:
	case len(m.story.turns) == 0:
		keys = []string{"enter send", "alt+enter new line", "ctrl+p sessions"}
	case m.receipt != nil && (m.receipt.End == bellcord.EndStopped || m.receipt.Incomplete == bellcord.IncompleteMaxOutput) && m.input.empty():
		keys = []string{"/continue", "/receipt"}
	}
	if len(keys) > 0 {
		return ansi.Truncate(strings.Join(keys, " · "), width, "…")
	}
	words := m.settingWords(false)
	for i := range words {
		words[i] = harmless(oneLine(words[i]))
	}
	line := strings.Join(words, " · ")
	over := ansi.StringWidth(line) - width
	if over <= 0 {
		return line
	}
	last := len(words) - 1
	if path := ansi.StringWidth(words[last]); m.placeWords() != "" && path > over+1 {
		words[last] = "…" + ansi.TruncateLeft(words[last], over+1, "")
		line = strings.Join(words, " · ")
	}
	return ansi.Truncate(line, width, "…")
}

// lengthWords returns the length of an input of which only a part is visible, and
// the key that shows all of it in an editor.
func (m *Model) lengthWords() []string {
	lines := 1 + strings.Count(m.input.String(), "\n")
	if lines <= mostInput {
		return nil
	}
	return []string{plural.Count(lines, "line"), "ctrl+g edits"}
}

// contextWords returns how full the context is, or "" if that is unknown. Before
// the first turn it is empty.
func (m *Model) contextWords() string {
	if len(m.story.turns) == 0 && !m.hosted() && m.window != nil && m.window(m.session.Model) > 0 {
		return "ctx 0%"
	}
	return m.context.String()
}

// spending is the cost of the turns that have ended, in billionths of a US dollar.
type spending struct {
	total     int64
	estimated bool // a part of it is estimated
}

func (s *spending) add(u bellcord.Usage) {
	s.total += u.CostNanoUSD
	s.estimated = s.estimated || u.CostNanoUSD > 0 && !u.Exact
}

// costWords returns the cost of the session, or "" if it is unknown. The status
// shows the cost of the running turn.
func (m *Model) costWords() string {
	switch {
	case m.spent.total == 0 && len(m.story.turns) == 0:
		return "$0.00"
	case m.spent.total == 0:
		return ""
	case m.spent.estimated:
		return "~" + money(m.spent.total)
	}
	return money(m.spent.total)
}
