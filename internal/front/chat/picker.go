package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/internal/sessionid"
)

// picker is a list of sessions to choose from, the most recent first.
type picker struct {
	sessions   []bellcord.Session
	dir        string // the project
	everywhere bool   // the list has the sessions of all projects
	words      editor // the list has the sessions that contain these words
	at         int
	naming     *editor // the new title of the selected session; nil if it is not renamed
	deleting   bool    // the next key confirms that the selected session is deleted
}

// choose shows the sessions to choose from, as text if the screen is not
// redrawn.
func (m *Model) choose(all []bellcord.Session) {
	if m.plain {
		lines := []string{plural.Count(len(all), "session") + "; /open ID opens one"}
		for _, s := range all {
			lines = append(lines, string(s.ID)+"  "+oneLine(orUntitled(s.Title)))
		}
		m.announce(strings.Join(lines, "\n"))
		return
	}
	p := &picker{sessions: all, dir: m.session.Dir}
	p.everywhere = len(p.shown()) == 0
	for i, s := range p.shown() {
		if s.ID == m.session.ID {
			p.at = i
		}
	}
	m.picker = p
}

// shown returns the sessions of the list: those of the project, with the words in
// their title, directory or id.
func (p *picker) shown() []bellcord.Session {
	var found []bellcord.Session
	for _, s := range p.sessions {
		text := strings.ToLower(s.Title + " " + s.Dir + " " + string(s.ID))
		if (p.everywhere || s.Dir == p.dir) && strings.Contains(text, strings.ToLower(p.words.String())) {
			found = append(found, s)
		}
	}
	return found
}

// selected returns the selected session, or nil if the list is empty.
func (p *picker) selected() *bellcord.Session {
	if shown := p.shown(); p.at < len(shown) {
		return &shown[p.at]
	}
	return nil
}

func (p *picker) lines(now time.Time, room int) []string {
	title, other := "Sessions in "+p.dir, "tab: all projects"
	if p.everywhere {
		title, other = "Sessions of all projects", "tab: this project"
	}
	lines := []string{
		styled(bold, harmless(oneLine(title))) + styled(dim, " — "+other),
		styled(bold, "› ") + harmless(p.words.String()),
	}
	lines = append(lines, p.rows(now, room-len(lines)-1)...)
	return append(lines, p.keys())[:min(len(lines)+1, max(0, room))]
}

// rows returns the rows around the selected one, with the day before the first
// session of each day.
func (p *picker) rows(now time.Time, most int) []string {
	var rows []string
	selected, day := 0, ""
	for i, s := range p.shown() {
		if d := dayOf(s.Updated, now); d != day {
			day = d
			rows = append(rows, styled(dim, d))
		}
		where := ""
		if p.everywhere {
			where = "  " + harmless(oneLine(s.Dir))
		}
		text := fmt.Sprintf("%s  %s  %s%s", s.Updated.Local().Format("15:04"), sessionid.Short(s.ID), harmless(oneLine(orUntitled(s.Title))), where)
		if i == p.at {
			selected = len(rows)
			rows = append(rows, styled(bold, "› "+text))
		} else {
			rows = append(rows, "  "+text)
		}
	}
	if len(rows) == 0 {
		return []string{styled(dim, "  no session found")}
	}
	most = max(1, most)
	from := max(0, min(selected-most/2, len(rows)-most))
	return rows[from:min(len(rows), from+most)]
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

// keys returns the last line of the list: its keys, the new title, or the question
// before a session is deleted.
func (p *picker) keys() string {
	s := p.selected()
	switch {
	case s != nil && p.naming != nil:
		return styled(bold, "new title: ") + harmless(p.naming.String()) + styled(dim, "▏ — enter renames · esc cancels")
	case s != nil && p.deleting:
		return styled(red, "Delete “"+harmless(oneLine(orUntitled(s.Title)))+"” and its history? y deletes it, any other key keeps it")
	}
	return styled(dim, "enter opens · ctrl+r renames · ctrl+x deletes · esc closes")
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
		if !p.words.press(key) {
			p.words.insert(text)
		}
		p.at = 0
	}
	return nil
}

func (p *picker) move(by int) { p.at = max(0, min(len(p.shown())-1, p.at+by)) }

func (p *picker) rename(s *bellcord.Session, key, text string) []Action {
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
func (m *Model) confirmDelete(s *bellcord.Session) {
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
	for i, s := range p.sessions {
		if s.ID == id {
			p.sessions = append(p.sessions[:i:i], p.sessions[i+1:]...)
			break
		}
	}
	p.move(0)
}
