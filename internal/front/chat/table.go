package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// table is a Markdown table.
type table struct {
	head  []string
	right []bool // columns that are aligned to the right
	rows  [][]string
}

const (
	between   = " │ " // between two columns
	leastCell = 8     // the width to which a column is narrowed at most
)

// parseTable returns the table at the start of the lines and the number of its
// lines; 0 if there is none.
func parseTable(lines []string) (table, int) {
	if len(lines) < 2 || !strings.HasPrefix(strings.TrimSpace(lines[0]), "|") {
		return table{}, 0
	}
	t := table{head: cells(lines[0])}
	marks := cells(lines[1])
	if len(marks) != len(t.head) {
		return table{}, 0
	}
	for _, mark := range marks {
		if dashes := strings.Trim(mark, ":"); dashes == "" || strings.Trim(dashes, "-") != "" {
			return table{}, 0
		}
		t.right = append(t.right, strings.HasSuffix(mark, ":") && !strings.HasPrefix(mark, ":"))
	}
	n := 2
	for ; n < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[n]), "|"); n++ {
		row := append(cells(lines[n]), make([]string, len(t.head))...)
		t.rows = append(t.rows, row[:len(t.head)])
	}
	return t, n
}

// cells splits a row. A backslash before a bar makes it text.
func cells(l string) []string {
	l = strings.TrimSpace(l)
	l = strings.TrimPrefix(l, "|")
	var all []string
	var cell strings.Builder
	for i := 0; i < len(l); i++ {
		switch {
		case l[i] == '\\' && i+1 < len(l) && l[i+1] == '|':
			cell.WriteByte('|')
			i++
		case l[i] == '|':
			all = append(all, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(l[i])
		}
	}
	if rest := strings.TrimSpace(cell.String()); rest != "" {
		all = append(all, rest)
	}
	return all
}

// lines draws the table. If it does not fit, the widest columns are narrowed, and
// if that is not enough, each row becomes a list of its cells.
func (t table) lines(width int) []string {
	widths := make([]int, len(t.head))
	for i := range t.head {
		widths[i] = max(1, ansi.StringWidth(inline(t.head[i])))
		for _, row := range t.rows {
			widths[i] = max(widths[i], ansi.StringWidth(inline(row[i])))
		}
	}
	if !fit(widths, width-(len(widths)-1)*ansi.StringWidth(between)) {
		return t.records(width)
	}
	lines := t.row(t.head, widths, bold)
	rules := make([]string, len(widths))
	for i, w := range widths {
		rules[i] = strings.Repeat("─", w)
	}
	lines = append(lines, styled(dim, strings.Join(rules, "─┼─")))
	for _, row := range t.rows {
		lines = append(lines, t.row(row, widths, "")...)
	}
	return lines
}

// fit narrows the widest columns until all fit, and reports whether they do.
func fit(widths []int, room int) bool {
	least := 0
	for i, w := range widths {
		widths[i] = min(w, room)
		least += min(w, leastCell)
	}
	if least > room {
		return false
	}
	for {
		sum, widest := 0, 0
		for i, w := range widths {
			sum += w
			if w > widths[widest] {
				widest = i
			}
		}
		if sum <= room {
			return true
		}
		widths[widest]--
	}
}

// row draws one row; its cells are wrapped.
func (t table) row(row []string, widths []int, style string) []string {
	parts, most := make([][]string, len(row)), 1
	for i, cell := range row {
		text := inline(cell)
		if style != "" {
			text = styled(style, unmarked(cell))
		}
		parts[i] = wrap(text, widths[i])
		most = max(most, len(parts[i]))
	}
	lines := make([]string, most)
	for n := range lines {
		drawn := make([]string, len(row))
		for i := range row {
			text := ""
			if n < len(parts[i]) {
				text = parts[i][n]
			}
			gap := strings.Repeat(" ", max(0, widths[i]-ansi.StringWidth(text)))
			if t.right[i] {
				drawn[i] = gap + text
			} else {
				drawn[i] = text + gap
			}
		}
		lines[n] = strings.TrimRight(strings.Join(drawn, styled(dim, between)), " ")
	}
	return lines
}

// records draws each row as a list of its cells with the titles of the columns.
func (t table) records(width int) []string {
	var lines []string
	for n, row := range t.rows {
		if n > 0 {
			lines = append(lines, "")
		}
		for i, cell := range row {
			title := unmarked(t.head[i])
			if title != "" {
				title = styled(bold, title+":") + " "
			}
			lines = append(lines, indented(title, "  ", inline(cell), width)...)
		}
	}
	return lines
}
