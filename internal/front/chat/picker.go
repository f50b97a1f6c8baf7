package chat

import (
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plural"
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
func (m *Model) choose(all []Listed) {
	if m.plain {
		lines := []string{plural.Count(len(all), "session") + "; /open ID opens one"}
		for _, s := range all {
			line := string(s.ID) + "  " + oneLine(orUntitled(s.Title))
			if s.State != "" {
				line += "  " + string(s.State)
			}
			lines = append(lines, line)
		}
		m.announce(strings.Join(lines, "\n"))
		return
	}
	p := &picker{sessions: all, dir: m.session.Dir, place: m.placeWords()}
	p.everywhere = len(p.shown()) == 0
	for i, s := range p.shown() {
		if s.ID == m.session.ID {
			p.at = i
		}
	}
	m.picker = p
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
func (m *Model) pick(key, text string) []Action {
	p := m.picker
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
		m.picker = nil
	case "ctrl+r":
		if s != nil {
			p.naming = &editor{}
			p.naming.set(s.Title)
		}
	case "ctrl+x":
		m.confirmDelete(s)
	case "enter":
		m.picker = nil
		if s != nil && s.ID != m.session.ID {
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
func (m *Model) confirmDelete(s *Listed) {
	switch {
	case s == nil:
	case s.ID == m.session.ID:
		m.setHint("this session is open; use /new first")
	default:
		m.picker.deleting = true
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
