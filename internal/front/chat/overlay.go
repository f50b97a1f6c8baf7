package chat

import "strings"

// overlay is a text that covers the conversation until it is closed: the help or
// the transcript.
type overlay struct {
	title string
	text  []string // nil for the transcript
	from  int      // the first line of the text that is shown
	above int      // lines of the transcript below the shown ones
	page  int      // lines that fit
}

// showHelp shows the help, as text if the screen is not redrawn.
func (m *Model) showHelp() {
	if m.plain {
		m.announce(help())
		return
	}
	m.overlay = &overlay{title: "Help", text: strings.Split(help(), "\n")}
}

// openTranscript shows the whole conversation, unfolded and laid out for the
// width of the window.
func (m *Model) openTranscript() { m.overlay = &overlay{title: "Transcript"} }

// overlayKey handles a key while an overlay is open. Esc and Ctrl-C are handled
// before.
func (m *Model) overlayKey(key string) {
	o := m.overlay
	switch key {
	case "up", "k":
		o.move(-1)
	case "down", "j", "enter":
		o.move(1)
	case "pgup", "ctrl+b":
		o.move(-o.page)
	case "pgdown", "space", "ctrl+f":
		o.move(o.page)
	case "home", "g":
		o.move(-1 << 30)
	case "end", "shift+g", "G":
		o.move(1 << 30)
	case "q", "?", "ctrl+o":
		m.overlay = nil
	}
}

func (o *overlay) move(by int) {
	if o.text == nil {
		o.above = max(0, o.above-by) // layOut limits it at the beginning
		return
	}
	o.from = max(0, min(o.from+by, len(o.text)-o.page))
}

// overlayLines returns the overlay for a window: a title, the text, the keys and,
// while a turn runs, its status.
func (m *Model) overlayLines(width, height int) []string {
	o := m.overlay
	title := withRight([]string{styled(bold, o.title)}, m.overlayKeys(), width)
	if len(title) > 1 { // the keys do not fit
		title = withRight([]string{styled(bold, o.title)}, "esc closes", width)
	}
	below := []string{}
	if m.target() != "" {
		below = append(below, m.statusLine(width))
	}
	o.page = max(1, height-1-len(below))
	var lines []string
	if o.text == nil {
		lines = m.story.last(width, o.page, &o.above, 0, true)
	} else {
		var all []string
		for _, l := range o.text[min(o.from, len(o.text)):] {
			all = append(all, indented("", "  ", harmless(l), width)...)
		}
		lines = all[:min(len(all), o.page)]
	}
	lines = append(title[:1], lines...)
	for len(lines) < height-len(below) {
		lines = append(lines, "")
	}
	lines = append(lines, below...)
	return lines[:min(len(lines), height)]
}

// overlayKeys returns the keys of the overlay.
func (m *Model) overlayKeys() string {
	if m.overlay.text == nil {
		return m.withStopKey("up, down, home, end scroll · esc closes")
	}
	return m.withStopKey("up, down scroll · esc or ? closes")
}

// withStopKey adds the key that stops the turn to the keys of something that is
// open on top of the conversation.
func (m *Model) withStopKey(keys string) string {
	if stop := m.stopKey(); m.target() != "" && stop != "" {
		keys += " · " + stop
	}
	return keys
}
