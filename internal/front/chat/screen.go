package chat

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"
)

// Screen is the content of a terminal. It has at most as many lines as the
// terminal, and no line is wider than it.
type Screen struct {
	Lines []string
	X, Y  int // cursor position
}

const (
	mostInput = 6 // lines of the input
	mostQueue = 4 // queued prompts shown
	narrowest = 4 // columns; a narrower window shows nothing
)

// Screen lays out the conversation for a window.
func (m *Model) Screen(width, height int) Screen {
	if width < narrowest || height < 1 {
		return Screen{}
	}
	typed, x, y := m.inputLines(width-3, min(mostInput, max(1, height/3)))
	below := []string{}
	if height > 3 {
		below = append(below, m.queueLines()...)
		if m.HasQuestion() {
			below = append(below, m.answerLines(width)...)
		}
	}
	if m.hint != "" && height > 4 {
		below = append(below, styled(dim, m.hint))
	}
	if height > 1 {
		below = append(below, m.statusLine())
	}
	if m.search != nil && height > 2 {
		below = append(below, m.searchLine())
	}
	top := len(below)
	for i, l := range typed {
		prompt := "  "
		if i == 0 {
			prompt = m.promptMark()
		}
		below = append(below, prompt+l)
	}
	below = append(below, m.menuLines(height/3)...)
	if over := len(below) - height; over > 0 {
		below, top = below[over:], top-over
	}
	var lines []string
	switch room := height - len(below); {
	case m.picker != nil:
		m.panel.hide()
		lines = m.picker.lines(m.now, room)
	case m.HasQuestion() && height > 3:
		panelLines := m.panel.layOut(m, width, height, room)
		lines = append(m.past(width, room-len(panelLines)), panelLines...)
	default:
		m.panel.hide()
		lines = m.past(width, room)
	}
	s := Screen{X: min(x+2, width-1), Y: max(0, len(lines)+top+y)}
	for _, l := range append(lines, below...) {
		s.Lines = append(s.Lines, ansi.Truncate(l, width, "…"))
	}
	return s
}

// inputLines returns the input, or the prompt that the search has found.
func (m *Model) inputLines(width, most int) (shown []string, x, y int) {
	if m.search == nil {
		return m.input.lines(width, most)
	}
	var found editor
	found.set(m.found())
	return found.lines(width, most)
}

func (m *Model) promptMark() string {
	if m.queue.edits != "" {
		return styled(yellow, "✎ ")
	}
	return styled(bold, "› ")
}

func (m *Model) statusLine() string {
	style := dim
	switch {
	case len(m.questions) > 0:
		style = yellow
	case m.running != nil && m.running.stop.IsZero():
		style = green
	case m.target() != "":
		style = red
	}
	return styled(style, harmless(oneLine(m.state())))
}

// past returns the last lines of the conversation that fit, or earlier ones if
// it is scrolled. Only the blocks that are needed are laid out.
func (m *Model) past(width, room int) []string {
	var lines []string
	want := room + m.scroll
	for i := len(m.story.blocks) - 1; i >= 0 && len(lines) < want; i-- {
		lines = append(append([]string{}, m.story.blocks[i].lines(width, m.open)...), lines...)
	}
	if len(lines) < want { // the beginning is visible
		m.scroll = max(0, len(lines)-room)
	}
	end := len(lines) - m.scroll
	return lines[max(0, end-room):end]
}

// queueTitle returns how many prompts are queued and how many of them are held.
func (m *Model) queueTitle() string {
	title := fmt.Sprintf("%d queued", len(m.queue.waits))
	if n := m.queue.held(); n > 0 {
		title += fmt.Sprintf(", %d held by the stop", n)
	}
	return title
}

func (m *Model) queueLines() []string {
	waits := m.queue.waits
	if len(waits) == 0 || m.running == nil && m.queue.held() == 0 {
		return nil
	}
	keys := " — tab selects"
	if m.queue.picked != "" {
		keys = " — enter edits · d deletes · s sends now"
	}
	lines := []string{styled(bold, m.queueTitle()) + styled(dim, keys)}
	from := max(0, min(m.queue.find(m.queue.picked), len(waits)-mostQueue))
	for _, w := range waits[from:min(len(waits), from+mostQueue)] {
		mark := "  + "
		if w.turn == m.queue.picked {
			mark = styled(bold, "› + ")
		}
		lines = append(lines, mark+harmless(oneLine(w.text)))
	}
	return lines
}
