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
	*state
	editor *editor
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
func (in *input) menuRows() []row {
	text := in.String()
	if in.menu.closed == text || in.search != nil || in.picker != nil || in.edits != "" || in.questions.form != nil {
		return nil
	}
	if query, is := in.menu.fileQuery(); is {
		return in.menu.fileRows(query)
	}
	word, command := strings.CutPrefix(text, "/")
	if !command || in.at != len(in.text) || strings.IndexFunc(word, unicode.IsSpace) >= 0 {
		return nil
	}
	var rows []row
	for _, c := range commands {
		if strings.HasPrefix(c.name, strings.ToLower(word)) {
			rows = append(rows, row{"/" + c.name, c.does + in.menu.currently(c.name)})
		}
	}
	return rows
}

// currently returns the current value of the setting that a command changes.
func (mn *menu) currently(command string) string {
	switch command {
	case "model":
		return " (now " + harmless(orUsual(mn.session.Model)) + ")"
	case "mode":
		return " (now " + harmless(orUsual(mn.session.Mode)) + ")"
	}
	return ""
}

// fileQuery returns the part of a path behind the @ at the cursor; false if there is
// none.
func (mn *menu) fileQuery() (string, bool) {
	before := mn.editor.text[:mn.editor.at]
	from := len(before)
	for from > 0 && !unicode.IsSpace(before[from-1]) {
		from--
	}
	if mn.editor.at < len(mn.editor.text) && !unicode.IsSpace(mn.editor.text[mn.editor.at]) {
		return "", false // inside a word
	}
	return strings.CutPrefix(string(before[from:]), "@")
}

// fileRows returns the files that match the query. Until the result of the query is
// there, the files of the one before stay if they match.
func (mn *menu) fileRows(query string) []row {
	files, last := mn.files, mn.files.query
	if last.Dir != mn.session.Dir || !strings.HasPrefix(query, last.Query) && !strings.HasPrefix(last.Query, query) {
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

// find returns the action that searches for the files of the query at the
// cursor, if it is new.
func (mn *menu) find() []Action {
	query, is := mn.fileQuery()
	wanted := FindFiles{mn.session.Dir, query}
	if !is || mn.session.Dir == "" || mn.wanted == wanted {
		return nil
	}
	mn.wanted = wanted
	return []Action{wanted}
}

// complete replaces the word at the cursor with a row.
func (mn *menu) complete(r row) {
	if query, is := mn.fileQuery(); is {
		mn.editor.cut(mn.editor.at-len([]rune(query))-1, mn.editor.at)
		mn.editor.insert(r.text + " ")
		return
	}
	mn.editor.set(r.text + " ")
}

// selected returns the index of the selected row.
func (mn *menu) selected(rows []row) int {
	if mn.input != mn.editor.String() {
		return 0
	}
	return min(mn.at, len(rows)-1)
}

// menuKey handles a key while the menu is open. It reports whether the input is now a
// command to run, and whether it handled the key.
func (in *input) menuKey(key string) (runs, taken bool) {
	rows := in.menuRows()
	if len(rows) == 0 {
		return false, false
	}
	at := in.menu.selected(rows)
	switch key {
	case "up":
		at = (at + len(rows) - 1) % len(rows)
	case "down":
		at = (at + 1) % len(rows)
	case "tab":
		in.menu.complete(rows[at])
		return false, true
	case "enter":
		if query, file := in.menu.fileQuery(); file {
			if rows[at].text == "@"+query {
				return false, false // nothing to complete: it sends the prompt
			}
			in.menu.complete(rows[at])
			return false, true
		}
		in.set(rows[at].text)
		return true, true
	default:
		return false, false
	}
	in.menu.input, in.menu.at = in.String(), at
	return false, true
}

// lines returns rows of the menu in at most most lines.
func (mn *menu) lines(rows []row, most int, stop string) []string {
	if len(rows) == 0 || most < 2 {
		return nil
	}
	widest := 0
	for _, r := range rows {
		widest = max(widest, ansi.StringWidth(r.text))
	}
	at, shown := mn.selected(rows), min(mostRows, most-1)
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
	if _, file := mn.fileQuery(); file {
		keys = fmt.Sprintf("%d of %s · tab inserts · esc closes", len(rows), plural.Count(mn.files.all, "file"))
	}
	return append(lines, styled(dim, "  "+keys+stop))
}
