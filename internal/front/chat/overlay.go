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
func (in *input) showHelp() {
	if in.plain {
		in.announce(help())
		return
	}
	in.overlay = &overlay{title: "Help", text: strings.Split(help(), "\n")}
}

// key handles a key while the overlay is open, and reports whether it closes it. Esc
// and Ctrl-C are handled before.
func (o *overlay) key(key string) bool {
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
		return true
	}
	return false
}

func (o *overlay) move(by int) {
	if o.text == nil {
		o.above = max(0, o.above-by) // layOut limits it at the beginning
		return
	}
	o.from = max(0, min(o.from+by, len(o.text)-o.page))
}

// lines returns the overlay for a window: a title, the text, the keys and, while a turn
// runs, its status. The transcript is the whole conversation, unfolded.
func (o *overlay) lines(bs *blocks, width, height int, stop string, below []string) []string {
	keys := "up, down scroll · esc or ? closes"
	if o.text == nil {
		keys = "up, down, home, end scroll · esc closes"
	}
	title := withRight([]string{styled(bold, o.title)}, keys+stop, width)
	if len(title) > 1 { // the keys do not fit
		title = withRight([]string{styled(bold, o.title)}, "esc closes", width)
	}
	o.page = max(1, height-1-len(below))
	var lines []string
	if o.text == nil {
		lines = bs.last(width, o.page, &o.above, 0, true)
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
