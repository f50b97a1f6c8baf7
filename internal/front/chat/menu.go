package chat

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord/internal/plural"
)

// mostRows is the number of rows that a menu shows at once.
const mostRows = 8

// menu is the list below the input. It offers completions of the word at the
// cursor.
type menu struct {
	input  string // the input for which at was selected
	at     int
	closed string // the input for which Esc closed the menu
	files  fileList
	wanted FindFiles // the last search that was requested
}

// fileList is the result of the last search for files.
type fileList struct {
	query FindFiles
	found []string
	all   int
}

// row is one completion.
type row struct {
	text string // replaces the word
	does string
}

// menuRows returns the rows of the menu; none if it is not open.
func (m *Model) menuRows() []row {
	text := m.input.String()
	if m.menu.closed == text || m.search != nil || m.picker != nil || m.queue.edits != "" || m.form != nil {
		return nil
	}
	if query, is := m.fileQuery(); is {
		return m.fileRows(query)
	}
	word, command := strings.CutPrefix(text, "/")
	if !command || m.input.at != len(m.input.text) || strings.IndexFunc(word, unicode.IsSpace) >= 0 {
		return nil
	}
	var rows []row
	for _, c := range commands {
		if strings.HasPrefix(c.name, strings.ToLower(word)) {
			rows = append(rows, row{"/" + c.name, c.does + m.currently(c.name)})
		}
	}
	return rows
}

// currently returns the current value of the setting that a command changes.
func (m *Model) currently(command string) string {
	switch command {
	case "model":
		return " (now " + harmless(orUsual(m.session.Model)) + ")"
	case "mode":
		return " (now " + harmless(orUsual(m.session.Mode)) + ")"
	}
	return ""
}

// fileQuery returns the part of a path behind the @ at the cursor; false if there is
// none.
func (m *Model) fileQuery() (string, bool) {
	before := m.input.text[:m.input.at]
	from := len(before)
	for from > 0 && !unicode.IsSpace(before[from-1]) {
		from--
	}
	if m.input.at < len(m.input.text) && !unicode.IsSpace(m.input.text[m.input.at]) {
		return "", false // inside a word
	}
	return strings.CutPrefix(string(before[from:]), "@")
}

// fileRows returns the files that match the query. Until the result of the query is
// there, the files of the one before stay if they match.
func (m *Model) fileRows(query string) []row {
	files := m.menu.files
	if files.query.Dir != m.session.Dir || !strings.HasPrefix(query, files.query.Query) && !strings.HasPrefix(files.query.Query, query) {
		return nil
	}
	var rows []row
	for _, path := range files.found {
		if containsInOrder(path, query) {
			rows = append(rows, row{text: "@" + path})
		}
	}
	return rows
}

// containsInOrder reports whether a path has the characters of a query in their
// order, in upper or lower case.
func containsInOrder(path, query string) bool {
	rest := []rune(strings.ToLower(query))
	for _, r := range strings.ToLower(path) {
		if len(rest) > 0 && r == rest[0] {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}

// findFiles returns the action that searches for the files of the query at the
// cursor, if it is new.
func (m *Model) findFiles() []Action {
	query, is := m.fileQuery()
	wanted := FindFiles{m.session.Dir, query}
	if !is || m.session.Dir == "" || m.menu.wanted == wanted {
		return nil
	}
	m.menu.wanted = wanted
	return []Action{wanted}
}

// complete replaces the word at the cursor with a row.
func (m *Model) complete(r row) {
	if query, is := m.fileQuery(); is {
		m.input.cut(m.input.at-len([]rune(query))-1, m.input.at)
		m.input.insert(r.text + " ")
		return
	}
	m.input.set(r.text + " ")
}

// selected returns the index of the selected row.
func (m *Model) selected(rows []row) int {
	if m.menu.input != m.input.String() {
		return 0
	}
	return min(m.menu.at, len(rows)-1)
}

// menuKey handles a key while the menu is open, and reports whether it handled
// the key.
func (m *Model) menuKey(key string) ([]Action, bool) {
	rows := m.menuRows()
	if len(rows) == 0 {
		return nil, false
	}
	at := m.selected(rows)
	switch key {
	case "up":
		at = (at + len(rows) - 1) % len(rows)
	case "down":
		at = (at + 1) % len(rows)
	case "tab":
		m.complete(rows[at])
		return nil, true
	case "enter":
		if query, file := m.fileQuery(); file {
			if rows[at].text == "@"+query {
				return nil, false // nothing to complete: it sends the prompt
			}
			m.complete(rows[at])
			return nil, true
		}
		m.input.set(rows[at].text)
		return m.submit(), true
	default:
		return nil, false
	}
	m.menu.input, m.menu.at = m.input.String(), at
	return nil, true
}

// menuLines draws the menu in at most most lines.
func (m *Model) menuLines(most int) []string {
	rows := m.menuRows()
	if len(rows) == 0 || most < 2 {
		return nil
	}
	widest := 0
	for _, r := range rows {
		widest = max(widest, ansi.StringWidth(r.text))
	}
	at, shown := m.selected(rows), min(mostRows, most-1)
	from := max(0, min(at-shown/2, len(rows)-shown))
	var lines []string
	for i := from; i < min(len(rows), from+shown); i++ {
		text := fmt.Sprintf("%-*s  ", widest, harmless(rows[i].text))
		if i == at {
			lines = append(lines, styled(bold, " ›"+text)+rows[i].does)
		} else {
			lines = append(lines, "  "+text+styled(dim, rows[i].does))
		}
	}
	keys := "tab completes · enter runs · esc closes"
	if _, file := m.fileQuery(); file {
		keys = fmt.Sprintf("%d of %s · tab inserts · esc closes", len(rows), plural.Count(m.menu.files.all, "file"))
	}
	return append(lines, styled(dim, "  "+m.withStopKey(keys)))
}
