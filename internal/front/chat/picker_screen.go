package chat

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord/internal/sessionid"
)

// pickerScreen lays out the list of sessions, which covers the window. The cursor
// is in the words or in the new title.
func (m *Model) pickerScreen(width, height int) Screen {
	p := m.picker
	words, x, _ := p.words.lines(width-2, 1)
	s := Screen{X: min(2+x, width-1), Y: 1, Alternate: true}
	below := []string{p.keys(m.target() != "")}
	if p.naming != nil && p.selected() != nil {
		title, x, _ := p.naming.lines(width-len(namingPrefix), 1)
		below = []string{styled(bold, namingPrefix) + title[0], styled(dim, "enter renames · esc cancels")}
		s.X, s.Y = min(len(namingPrefix)+x, width-1), height // the row is known below
	}
	if m.hint != "" {
		below = append(below, styled(dim, m.hint))
	}
	if m.target() != "" {
		below = append(below, m.statusLine(width))
	}
	lines := []string{p.title(width), styled(bold, promptSign) + words[0]}
	lines = append(lines, p.rows(m.now, width, height-len(lines)-len(below))...)
	s.Y = min(s.Y, len(lines))
	lines = append(lines, below...)
	if over := len(lines) - height; over > 0 {
		lines, s.Y = lines[over:], max(0, s.Y-over)
	}
	for len(lines) < height { // the rows of a longer list must not stay
		lines = append(lines, "")
	}
	for _, l := range lines {
		s.Lines = append(s.Lines, m.coloured(ansi.Truncate(l, width, "…")))
	}
	return s
}

func (p *picker) title(width int) string {
	title, other := "Sessions in "+p.place, "tab: all projects"
	if p.everywhere {
		title, other = "Sessions of all projects", "tab: this project"
	}
	return withRight([]string{styled(bold, harmless(oneLine(title)))}, other, width)[0]
}

const (
	promptSign   = "› " // two columns
	namingPrefix = "new title: "
)

// Widths of the columns of the list.
const (
	stateWidth = len("waiting for you")
	idWidth    = 9 // of a short id
)

// rows returns the rows around the selected one, with the day before the first
// session of each day.
func (p *picker) rows(now time.Time, width, most int) []string {
	var rows []string
	selected, day := 0, ""
	for i, s := range p.shown() {
		if d := dayOf(s.Updated, now); d != day {
			day = d
			rows = append(rows, styled(dim, d))
		}
		row := p.row(s, now, width)
		if i == p.at {
			selected = len(rows)
			rows = append(rows, styled(bold, " ›"+row))
		} else {
			rows = append(rows, "  "+row)
		}
	}
	if len(rows) == 0 {
		return []string{styled(dim, "  no session found")}
	}
	most = max(1, most)
	from := max(0, min(selected-most/2, len(rows)-most))
	return rows[from:min(len(rows), from+most)]
}

// row returns a session: its title, with its directory or the text that the search
// has found, its state, and the end of its id.
func (p *picker) row(s Listed, now time.Time, width int) string {
	words := harmless(oneLine(orUntitled(s.Title)))
	if text := p.search.found[s.ID]; text != "" && p.search.query == p.query() {
		words += " · " + harmless(oneLine(text))
	}
	if p.everywhere {
		words += " · " + harmless(oneLine(s.Dir))
	}
	room := max(10, width-len("  ● ")-len("  ")-stateWidth-len("  ")-idWidth-1)
	state := s.stateWords(now)
	return s.State.glyph() + " " + fill(ansi.Truncate(words, room, "…"), room) + "  " + fill(state, stateWidth) + "  " + sessionid.Short(s.ID)
}

// fill adds spaces up to a width.
func fill(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}

func dayOf(at, now time.Time) string {
	day, today := at.Local().Format(time.DateOnly), now.Local()
	switch day {
	case today.Format(time.DateOnly):
		return "Today"
	case today.AddDate(0, 0, -1).Format(time.DateOnly):
		return "Yesterday"
	}
	return day
}

// keys returns the line below the list: its keys, or the question before a session
// is deleted.
func (p *picker) keys(running bool) string {
	if s := p.selected(); s != nil && p.deleting {
		return styled(red, "Delete “"+harmless(oneLine(orUntitled(s.Title)))+"” and its history? y deletes it, any other key keeps it")
	}
	keys := "enter opens · ctrl+r renames · ctrl+x deletes (asks) · esc closes"
	if running {
		keys += " · ctrl+c stops"
	}
	return styled(dim, keys)
}
