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
// /edit, /drop and /send, and the keys for them.
func (m *Model) queueLines(width int) []string {
	waits := m.queue.waits
	if len(waits) == 0 || m.running == nil && m.queue.held() == 0 {
		return nil
	}
	title := styled(bold, ansi.Truncate(m.queueTitle(), width, "…"))
	if m.queue.picked != "" {
		return append(withRight([]string{title}, ansi.Truncate(queueKeys, width-2, "…"), width), m.queueRows()...)
	}
	if len(waits) > 1 || waits[0].held {
		return append(withRight([]string{title}, openQueue, width), m.queueRows()...)
	}
	title += styled(dim, " · ") + harmless(oneLine(waits[0].text))
	if room := width - 1 - len("  "+openQueue); room > ansi.StringWidth(m.queueTitle())+len(" · ") {
		title = ansi.Truncate(title, room, "…")
	}
	return withRight([]string{title}, openQueue, width)
}

// queueRows returns one row for each queued prompt. If some prompts are held and
// others are not, the rows name the held ones.
func (m *Model) queueRows() []string {
	waits, held := m.queue.waits, m.queue.held()
	from := max(0, min(m.queue.find(m.queue.picked), len(waits)-mostQueue))
	var rows []string
	for i, w := range waits[from:min(len(waits), from+mostQueue)] {
		text := harmless(oneLine(w.text))
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
