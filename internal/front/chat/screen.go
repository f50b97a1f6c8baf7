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
	if m.input.overlay != nil {
		m.questions.panel.hide()
		lines := m.input.overlay.lines(m.story.blocks, width, height, m.stopSuffix(), m.statusBelow(width))
		return m.finish(Screen{Lines: lines, Y: height, Alternate: true}, width)
	}
	if m.input.picker != nil {
		m.questions.panel.hide()
		return m.finish(m.input.picker.screen(m.now, width, height, m.hintLines(), m.statusBelow(width)), width)
	}
	typed, x, y := m.input.shown(width-3, min(mostInput, max(1, height/3)))
	below, answers, queued := []string{}, 0, false
	if height > 3 {
		if m.HasQuestion() {
			below = m.questions.answerLines(width, height)
		}
		answers = len(below)
		below = append(below, m.turns.queueBelow(width, height, m.HasQuestion())...)
		queued = len(below) > answers
	}
	if m.guidance.Do != "" && height > 4 {
		below = append(below, styled(bold, "→ "+harmless(oneLine(m.guidance.Do))))
	}
	if height > 4 {
		below = append(below, m.hintLines()...)
	}
	status := len(below)
	if height > 1 {
		below = append(below, "") // the status, which depends on the visible part of a question
	}
	if m.input.search != nil && height > 2 {
		below = append(below, m.input.search.line(m.stopSuffix()))
	}
	if height > 3 {
		below = append(below, m.input.imageLines()...)
	}
	top := len(below)
	for i, l := range typed {
		prompt := "  "
		if i == 0 {
			prompt = m.input.promptMark()
		}
		below = append(below, prompt+l)
	}
	below = append(below, m.input.menu.lines(m.input.menuRows(), height/3, m.stopSuffix())...)
	below = append(below, m.footerLines(width, height)...)
	if over := len(below) - height; over > 0 {
		below, top, status = below[over:], top-over, status-over
	}
	lines, covers := m.above(width, height, height-len(below), answers)
	if height > 1 && status >= 0 {
		below[status] = m.status().fit(width)
	}
	if len(lines) == 0 && !queued && height > 8 {
		lines = []string{""} // between the printed lines and the status
	}
	s := Screen{Lines: append(lines, below...), X: min(x+2, width-1), Y: max(0, len(lines)+top+y), Alternate: covers}
	return m.finish(s, width)
}

// finish cuts the lines of a screen to its width, and colours them.
func (s *state) finish(screen Screen, width int) Screen {
	for i, l := range screen.Lines {
		screen.Lines[i] = ansi.Truncate(l, width, "…")
	}
	s.coloured(screen.Lines)
	return screen
}

// hintLines returns the line of the hint, if there is one.
func (s *state) hintLines() []string {
	if s.hint == "" {
		return nil
	}
	return []string{styled(dim, s.hint)}
}

// above returns what is above the answers and the status in the lines that are left:
// the conversation and an open question. A question with more than a few lines covers
// the whole window: rows that fill the window would be left in the scrollback when it
// is resized.
func (m *Model) above(width, height, left, answers int) (lines []string, covers bool) {
	switch asks := m.HasQuestion() && height > 3; {
	case !asks:
		m.questions.panel.hide()
		return m.story.past(width, min(left, mostTail, max(1, height/3))), false
	case !m.replaying && m.questions.measure(width, height) > mostQuestion-answers:
		lines = m.questions.layOut(width, height, left)
		none := 0
		lines = append(m.story.blocks.last(width, left-len(lines), &none, 0, m.unfolded), lines...)
		return append(make([]string, max(0, left-len(lines))), lines...), true
	}
	left = min(left, mostQuestion-answers)
	lines = m.questions.layOut(width, height, left)
	return append(m.story.past(width, left-len(lines)), lines...), false
}

// past returns the last lines of the conversation that fit and are not printed.
func (s *story) past(width, room int) []string {
	if s.replaying {
		return nil
	}
	none := 0
	return s.blocks.last(width, room, &none, s.blocks.printed, s.unfolded)
}

// last returns the last lines of the blocks from an index on, or earlier ones if
// they are scrolled by a number of lines. It limits the number at the beginning.
// Only the blocks that are needed are laid out.
func (bs *blocks) last(width, room int, scroll *int, from int, unfolded bool) []string {
	var parts [][]string
	want, have := max(0, room)+*scroll, 0
	for i := len(bs.all) - 1; i >= from && have < want; i-- {
		part := bs.all[i].lines(width, unfolded)
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
