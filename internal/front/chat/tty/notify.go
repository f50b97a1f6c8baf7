package tty

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// notify passes the last notice of the model to the terminal, if another window
// has the focus: as a notification of the desktop (OSC 9), and as the bell, which
// every terminal has. A terminal that does not report its focus counts as focused.
func (s *screen) notify() tea.Cmd {
	notices := s.model.Notices()
	if !s.notifies || !s.away || len(notices) == 0 || s.out.Behind() {
		return nil
	}
	out := ansi.Notify(notices[len(notices)-1]) + "\a"
	if s.inline == nil {
		return tea.Raw(out)
	}
	s.inline.write(out)
	return nil
}
