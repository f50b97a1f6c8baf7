package chat

import (
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/sessionid"
)

// picker is a list of sessions to choose from, the most recent first.
type picker struct {
	sessions []bellcord.Session
	at       int
}

// choose shows the sessions to choose from, as text if the screen is not
// redrawn.
func (m *Model) choose(all []bellcord.Session) {
	if m.spoken {
		lines := []string{count(len(all), "session") + "; /open ID opens one"}
		for _, s := range all {
			lines = append(lines, string(s.ID)+"  "+oneLine(orUntitled(s.Title)))
		}
		m.announce(strings.Join(lines, "\n"))
		return
	}
	m.picker = &picker{sessions: all}
	for i, s := range all {
		if s.ID == m.session.ID {
			m.picker.at = i
		}
	}
}

func (p *picker) lines(room int) []string {
	lines := []string{styled(bold, count(len(p.sessions), "session")) + styled(dim, " — enter opens · q closes")}
	most := max(0, room-1)
	from := max(0, min(p.at-most/2, len(p.sessions)-most))
	for i := from; i < min(len(p.sessions), from+most); i++ {
		s := p.sessions[i]
		text := fmt.Sprintf("%s  %s  %s  %s", s.Updated.Local().Format("2006-01-02 15:04"), sessionid.Short(s.ID), harmless(oneLine(orUntitled(s.Title))), harmless(oneLine(s.Dir)))
		if i == p.at {
			lines = append(lines, styled(bold, "› "+text))
		} else {
			lines = append(lines, "  "+text)
		}
	}
	return lines[:min(len(lines), max(0, room))]
}

func orUntitled(title string) string {
	if strings.TrimSpace(title) == "" {
		return "(untitled)"
	}
	return title
}

// pick handles a key while the list is shown.
func (m *Model) pick(key string) []Action {
	p := m.picker
	switch key {
	case "up", "k":
		p.at = max(0, p.at-1)
	case "down", "j":
		p.at = max(0, min(len(p.sessions)-1, p.at+1))
	case "pgup":
		p.at = max(0, p.at-10)
	case "pgdown":
		p.at = max(0, min(len(p.sessions)-1, p.at+10))
	case "q", "ctrl+p":
		m.picker = nil
	case "enter":
		m.picker = nil
		if p.at < len(p.sessions) && p.sessions[p.at].ID != m.session.ID {
			return []Action{Open{string(p.sessions[p.at].ID)}}
		}
	}
	return nil
}
