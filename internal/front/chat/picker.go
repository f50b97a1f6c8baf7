package chat

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/internal/sessionid"
)

// picker is a list of sessions to choose from, the most recent first.
type picker struct {
	sessions   []Listed
	dir        string // the project
	place      string // the project as the user reads it
	everywhere bool   // the list has the sessions of all projects
	words      editor // the list has the sessions that contain these words
	at         int
	naming     *editor // the new title of the selected session; nil if it is not renamed
	deleting   bool    // the next key confirms that the selected session is deleted
	search     pickerSearch
}

// pickerSearch is the result of the last search in prompts and answers.
type pickerSearch struct {
	query string
	found map[bellcord.SessionID]string // sessions, with the text around the match
}

// choose shows the sessions to choose from, as text if the screen is not
// redrawn.
func (in *input) choose(all []Listed) {
	if in.plain {
		lines := []string{plural.Count(len(all), "session") + "; /open ID opens one"}
		for _, s := range all {
			line := string(s.ID) + "  " + oneLine(orUntitled(s.Title))
			if s.State != "" {
				line += "  " + string(s.State)
			}
			lines = append(lines, line)
		}
		in.announce(strings.Join(lines, "\n"))
		return
	}
	p := &picker{sessions: all, dir: in.session.Dir, place: in.placeWords()}
	p.everywhere = len(p.shown()) == 0
	for i, s := range p.shown() {
		if s.ID == in.session.ID {
			p.at = i
		}
	}
	in.picker = p
}

// query returns the words of the list.
func (p *picker) query() string { return strings.TrimSpace(p.words.String()) }

// shown returns the sessions of the list: those of the project with the words in
// their title, directory or id, and those that the search has found.
func (p *picker) shown() []Listed {
	query := p.query()
	var shown []Listed
	for _, s := range p.sessions {
		text := strings.ToLower(s.Title + " " + s.Dir + " " + string(s.ID))
		_, found := p.search.found[s.ID]
		matches := strings.Contains(text, strings.ToLower(query)) || found && p.search.query == query
		if matches && (p.everywhere || s.Dir == p.dir) {
			shown = append(shown, s)
		}
	}
	return shown
}

// addFound adds the sessions that a search has found, unless the words have
// changed since. A list of a server may lack some of them.
func (p *picker) addFound(query string, all []Found) {
	if query != p.query() {
		return
	}
	selected := p.selected()
	p.search = pickerSearch{query, map[bellcord.SessionID]string{}}
	for _, f := range all {
		p.search.found[f.Session.ID] = f.Text
		if !slices.ContainsFunc(p.sessions, func(s Listed) bool { return s.ID == f.Session.ID }) {
			p.sessions = append(p.sessions, f.Session)
		}
	}
	slices.SortStableFunc(p.sessions, func(a, b Listed) int { return b.Updated.Compare(a.Updated) })
	if selected != nil { // it stays selected
		p.at = max(0, slices.IndexFunc(p.shown(), func(s Listed) bool { return s.ID == selected.ID }))
	}
}

// selected returns the selected session, or nil if the list is empty.
func (p *picker) selected() *Listed {
	if shown := p.shown(); p.at < len(shown) {
		return &shown[p.at]
	}
	return nil
}

func orUntitled(title string) string {
	if strings.TrimSpace(title) == "" {
		return "(untitled)"
	}
	return title
}

// pick handles a key while the list is shown.
func (in *input) pick(key, text string) []Action {
	p := in.picker
	s := p.selected()
	switch {
	case s != nil && p.naming != nil:
		return p.rename(s, key, text)
	case s != nil && p.deleting:
		p.deleting = false
		if key == "y" {
			return []Action{Delete{s.ID}}
		}
		return nil
	}
	switch key {
	case "up":
		p.move(-1)
	case "down":
		p.move(1)
	case "pgup":
		p.move(-10)
	case "pgdown":
		p.move(10)
	case "tab":
		p.everywhere, p.at = !p.everywhere, 0
	case "ctrl+p":
		in.picker = nil
	case "ctrl+r":
		if s != nil {
			p.naming = &editor{}
			p.naming.set(s.Title)
		}
	case "ctrl+x":
		in.confirmDelete(s)
	case "enter":
		in.picker = nil
		if s != nil && s.ID != in.session.ID {
			return []Action{Open{string(s.ID)}}
		}
	default:
		return p.edit(key, text)
	}
	return nil
}

// edit changes the words, and requests the sessions that contain them.
func (p *picker) edit(key, text string) []Action {
	before := p.query()
	if !p.words.press(key) {
		p.words.insert(text)
	}
	query := p.query()
	if query == before {
		return nil
	}
	p.at = 0
	if query == "" {
		return nil
	}
	return []Action{Search{query}}
}

func (p *picker) move(by int) { p.at = max(0, min(len(p.shown())-1, p.at+by)) }

func (p *picker) rename(s *Listed, key, text string) []Action {
	if key != "enter" {
		if !p.naming.press(key) {
			p.naming.insert(text)
		}
		return nil
	}
	title := oneLine(p.naming.String())
	p.naming = nil
	if title == "" || title == s.Title {
		return nil
	}
	return []Action{Rename{s.ID, title}}
}

// confirmDelete opens the question before a session is deleted.
func (in *input) confirmDelete(s *Listed) {
	switch {
	case s == nil:
	case s.ID == in.session.ID:
		in.setHint("this session is open; use /new first")
	default:
		in.picker.deleting = true
	}
}

// closePart closes the question or the title, and reports whether one was open.
func (p *picker) closePart() bool {
	open := p.deleting || p.naming != nil
	p.deleting, p.naming = false, nil
	return open
}

// renamed and removed update the list after an action.
func (p *picker) renamed(id bellcord.SessionID, title string) {
	for i := range p.sessions {
		if p.sessions[i].ID == id {
			p.sessions[i].Title = title
		}
	}
}

func (p *picker) removed(id bellcord.SessionID) {
	p.sessions = slices.DeleteFunc(p.sessions, func(s Listed) bool { return s.ID == id })
	p.move(0)
}

// screen lays out the list of sessions, which covers the window. The cursor is in the
// words or in the new title. The hint and the status of a turn are below the list.
func (p *picker) screen(now time.Time, width, height int, hint, status []string) Screen {
	words, x, _ := p.words.lines(width-2, 1)
	s := Screen{X: min(2+x, width-1), Y: 1, Alternate: true}
	below := []string{p.keys(len(status) > 0)}
	if p.naming != nil && p.selected() != nil {
		title, x, _ := p.naming.lines(width-len(namingPrefix), 1)
		below = []string{styled(bold, namingPrefix) + title[0], styled(dim, "enter renames · esc cancels")}
		s.X, s.Y = min(len(namingPrefix)+x, width-1), height // the row is known below
	}
	below = slices.Concat(below, hint, status)
	lines := []string{p.title(width), styled(bold, promptSign) + words[0]}
	lines = append(lines, p.rows(now, width, height-len(lines)-len(below))...)
	s.Y = min(s.Y, len(lines))
	lines = append(lines, below...)
	if over := len(lines) - height; over > 0 {
		lines, s.Y = lines[over:], max(0, s.Y-over)
	}
	for len(lines) < height { // the rows of a longer list must not stay
		lines = append(lines, "")
	}
	s.Lines = lines
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
