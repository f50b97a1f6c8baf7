package chat

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const (
	queueKeys = "enter edits · d discards · s sends now · tab leaves"
	openQueue = "tab: manage"
)

// queueTitle returns how many prompts are queued, and how many the stop of a turn
// holds.
func (m *Model) queueTitle() string {
	var parts []string
	held := m.queue.held()
	if n := len(m.queue.waits) - held; n > 0 {
		parts = append(parts, fmt.Sprintf("queue %d", n))
	}
	if held > 0 {
		parts = append(parts, fmt.Sprintf("held %d: not sent, because the turn was stopped", held))
	}
	return strings.Join(parts, " · ")
}

// queueLines returns the queued prompts with their numbers, which are those of
// /edit, /drop and /send, the prompt that was discarded last, and the keys for
// them.
func (m *Model) queueLines(width int) []string {
	var lines []string
	if len(m.queue.waits) > 0 && (m.running != nil || m.queue.held() > 0) {
		lines = m.waitingLines(width)
	}
	n := len(m.queue.discarded)
	if n == 0 {
		return lines
	}
	keys := "u undoes"
	if len(lines) == 0 {
		keys += " · tab leaves"
	}
	return append(lines, leftAndRight("discarded: "+m.queue.discarded[n-1].text(), keys, width)...)
}

// queueBelow returns the lines of the queue that fit below the answers of a
// question, which must stay visible.
func (m *Model) queueBelow(width, height int) []string {
	lines := m.queueLines(width)
	if m.HasQuestion() && height < 2*answerRows && !m.queue.focused() && len(lines) > 1 {
		return lines[:1]
	}
	return lines
}

func (m *Model) waitingLines(width int) []string {
	waits, title := m.queue.waits, styled(bold, m.queueTitle())
	switch {
	case m.queue.focused():
		title = ansi.Truncate(title, width, "…")
		return append(withRight([]string{title}, ansi.Truncate(queueKeys, width-2, "…"), width), m.queueRows()...)
	case len(waits) == 1 && !waits[0].held:
		return leftAndRight(title+styled(dim, " · ")+waits[0].text(), openQueue, width)
	}
	title = ansi.Truncate(title, width, "…")
	return append(withRight([]string{title}, openQueue, width), m.queueRows()...)
}

// leftAndRight returns a line with a text at its right end. The left part is
// shortened, unless little of it would be left.
func leftAndRight(left, right string, width int) []string {
	if room := width - 1 - len("  ") - ansi.StringWidth(right); room >= fewest {
		left = ansi.Truncate(left, room, "…")
	}
	return withRight([]string{ansi.Truncate(left, width, "…")}, right, width)
}

// fewest is the number of columns that the left part of a line needs at least.
const fewest = 16

// queueRows returns one row for each queued prompt. If some prompts are held and
// others are not, the rows name the held ones.
func (m *Model) queueRows() []string {
	waits, held := m.queue.waits, m.queue.held()
	from := max(0, min(m.queue.find(m.queue.picked), len(waits)-mostQueue))
	var rows []string
	for i, w := range waits[from:min(len(waits), from+mostQueue)] {
		text := w.text()
		if w.held && held < len(waits) {
			text = styled(yellow, "held: ") + text
		}
		number := fmt.Sprintf("%d ", from+i+1)
		if w.turn == m.queue.picked {
			rows = append(rows, styled(bold, "› "+number)+text)
		} else {
			rows = append(rows, "  "+styled(dim, number)+text)
		}
	}
	return rows
}
