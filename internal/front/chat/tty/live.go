package tty

import (
	"io"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/bellcord/bellcord/internal/front/line"
)

// frameTime is the shortest time between two frames. Keys and resizes do not wait
// for it.
const frameTime = 33 * time.Millisecond

// due is the time for a frame that was delayed.
type due struct{}

// silent is a terminal for the library, which reads its size and modes. What the
// library draws is dropped: the screen draws itself.
type silent struct{ *terminal }

// Write implements io.Writer.
func (silent) Write(p []byte) (int, error) { return len(p), nil }

// refreshInline draws a frame after a message, or returns the command that draws
// it later.
func (s *screen) refreshInline(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.ColorProfileMsg:
		s.inline.profile = msg.Profile
		if !s.inline.known {
			s.inline.known = true
			s.inline.begin()
		}
	case tea.ModeReportMsg:
		s.inline.synced = s.inline.synced || msg.Mode == ansi.ModeSynchronizedOutput && msg.Value == ansi.ModeReset
	case due:
		s.delayed = false
	case tea.WindowSizeMsg:
		s.inline.rows = nil // the terminal may have dropped some
		s.drawnAt = time.Time{}
	case tea.KeyPressMsg, tea.PasteMsg, freed:
		s.drawnAt = time.Time{}
	}
	wait := frameTime - time.Since(s.drawnAt)
	switch {
	case wait <= 0:
		s.drawInline()
	case !s.delayed:
		s.delayed = true
		return tea.Tick(wait, func(time.Time) tea.Msg { return due{} })
	}
	return nil
}

// drawInline draws a frame, unless the terminal is behind: the message freed draws
// it then. It reads the size of the window, because the message about a resize may
// not have arrived yet.
func (s *screen) drawInline() {
	if !s.inline.known || s.out.Behind() {
		return
	}
	if width, height, err := term.GetSize(int(s.out.Fd())); err == nil {
		s.width, s.height = width, height
	}
	s.drawnAt = time.Now()
	var finished []string
	shown := s.model.Screen(s.width, s.height)
	if !shown.Alternate {
		if finished = s.model.Finished(s.width); len(finished) > 0 {
			shown = s.model.Screen(s.width, s.height)
		}
	}
	s.inline.draw(finished, shown)
}

// closeInline prints the rest of the conversation, removes the live rows and
// restores the terminal.
func (s *screen) closeInline() {
	s.inline.end(append(s.model.Finished(s.width), s.model.Unfinished(s.width)...))
}

// handover gives the terminal to a program while it runs.
type handover struct {
	*exec.Cmd
	screen *screen
}

// SetStdin, SetStdout and SetStderr implement tea.ExecCommand. The program already
// has the files of the terminal.
func (handover) SetStdin(io.Reader)  {}
func (handover) SetStdout(io.Writer) {}
func (handover) SetStderr(io.Writer) {}

// Run implements tea.ExecCommand.
func (h handover) Run() error {
	h.screen.inline.end(nil)
	h.screen.out.Drained(line.Parting)
	defer h.screen.inline.begin()
	return h.Cmd.Run()
}
