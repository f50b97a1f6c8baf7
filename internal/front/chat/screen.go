package chat

import (
	"github.com/charmbracelet/x/ansi"
)

// Screen is the content of a terminal. It has at most as many lines as the
// terminal, and no line is wider than it.
type Screen struct {
	Lines []string
	X, Y  int // cursor position
	// Alternate is set if the lines cover the whole window and must leave no
	// trace: on the alternate screen of the terminal.
	Alternate bool
}

const (
	mostInput    = 6  // lines of the input
	mostQueue    = 4  // queued prompts shown
	mostTail     = 10 // lines of unfinished blocks below the printed ones
	mostQuestion = 14 // lines of a question below them, with its answers; a longer one covers the window
	narrowest    = 4  // columns; a narrower window shows nothing
)

// Screen lays out the part of the conversation that still changes, which is shown
// below the lines of Finished.
func (m *Model) Screen(width, height int) Screen {
	if width < narrowest || height < 1 {
		return Screen{}
	}
	if m.overlay != nil {
		m.panel.hide()
		s := Screen{Y: height, Alternate: true}
		for _, l := range m.overlayLines(width, height) {
			s.Lines = append(s.Lines, m.coloured(ansi.Truncate(l, width, "…")))
		}
		return s
	}
	if m.picker != nil {
		m.panel.hide()
		return m.pickerScreen(width, height)
	}
	typed, x, y := m.inputLines(width-3, min(mostInput, max(1, height/3)))
	below, answers, queued := []string{}, 0, false
	if height > 3 {
		if m.HasQuestion() {
			below = m.answerLines(width, height)
		}
		answers = len(below)
		below = append(below, m.queueBelow(width, height)...)
		queued = len(below) > answers
	}
	if m.guidance.Do != "" && height > 4 {
		below = append(below, styled(bold, "→ "+harmless(oneLine(m.guidance.Do))))
	}
	if m.hint != "" && height > 4 {
		below = append(below, styled(dim, m.hint))
	}
	status := len(below)
	if height > 1 {
		below = append(below, "") // the status, which depends on the visible part of a question
	}
	if m.search != nil && height > 2 {
		below = append(below, m.searchLine())
	}
	if height > 3 {
		below = append(below, m.imageLines()...)
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
	below = append(below, m.footerLines(width, height)...)
	if over := len(below) - height; over > 0 {
		below, top, status = below[over:], top-over, status-over
	}
	lines, covers := m.above(width, height, height-len(below), answers)
	if height > 1 && status >= 0 {
		below[status] = m.statusLine(width)
	}
	if len(lines) == 0 && !queued && height > 8 {
		lines = []string{""} // between the printed lines and the status
	}
	s := Screen{X: min(x+2, width-1), Y: max(0, len(lines)+top+y), Alternate: covers}
	for _, l := range append(lines, below...) {
		s.Lines = append(s.Lines, m.coloured(ansi.Truncate(l, width, "…")))
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

// above returns what is above the answers and the status in the lines that are left:
// the conversation and an open question. A question with more than a few lines covers
// the whole window: rows that fill the window would be left in the scrollback when it
// is resized.
func (m *Model) above(width, height, left, answers int) (lines []string, covers bool) {
	switch asks := m.HasQuestion() && height > 3; {
	case !asks:
		m.panel.hide()
		return m.past(width, min(left, mostTail, max(1, height/3))), false
	case !m.replaying && m.panel.measure(m, width, height) > mostQuestion-answers:
		lines = m.panel.layOut(m, width, height, left)
		none := 0
		lines = append(m.story.last(width, left-len(lines), &none, 0, m.open), lines...)
		return append(make([]string, max(0, left-len(lines))), lines...), true
	}
	left = min(left, mostQuestion-answers)
	lines = m.panel.layOut(m, width, height, left)
	return append(m.past(width, left-len(lines)), lines...), false
}

// past returns the last lines of the conversation that fit and are not printed.
func (m *Model) past(width, room int) []string {
	if m.replaying {
		return nil
	}
	none := 0
	return m.story.last(width, room, &none, m.story.printed, m.open)
}

// last returns the last lines of the blocks from an index on, or earlier ones if
// they are scrolled by a number of lines. It limits the number at the beginning.
// Only the blocks that are needed are laid out.
func (s *story) last(width, room int, scroll *int, from int, unfolded bool) []string {
	var parts [][]string
	want, have := max(0, room)+*scroll, 0
	for i := len(s.blocks) - 1; i >= from && have < want; i-- {
		part := s.blocks[i].lines(width, unfolded)
		parts, have = append(parts, part), have+len(part)
	}
	var lines []string
	for i := len(parts) - 1; i >= 0; i-- {
		lines = append(lines, parts[i]...)
	}
	if len(lines) < want { // the beginning is visible
		*scroll = max(0, len(lines)-room)
	}
	end := len(lines) - *scroll
	return lines[max(0, end-room):end]
}
