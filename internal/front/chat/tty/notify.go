package tty

import "github.com/charmbracelet/x/ansi"

// notify passes the last notice of the model to the terminal, if another window
// has the focus: as a notification of the desktop (OSC 9), and as the bell, which
// every terminal has. A terminal that does not report its focus counts as focused.
func (s *screen) notify() {
	notices := s.model.Notices()
	if !s.notifies || !s.away || len(notices) == 0 || s.out.Behind() {
		return
	}
	s.inline.write(ansi.Notify(notices[len(notices)-1]) + "\a")
}
