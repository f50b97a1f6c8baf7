package chat

import (
	"fmt"
	"time"

	"github.com/bellcord/bellcord/internal/front/line"
)

// panel shows the open question below the conversation: the whole call, with
// the answers always visible. If it does not fit, it can be scrolled.
type panel struct {
	question      string // the question that is shown
	of            int    // number of open questions
	width, height int    // size of the window
	all           []string
	visible       int       // number of lines shown
	top           int       // the first of them
	seen          int       // lines that have been shown, counted from the first
	allShown      time.Time // when all of them had been shown; zero before
}

// settled reports whether the whole open question has been visible long enough
// to be answered.
func (p *panel) settled(m *Model) bool {
	return m.HasQuestion() && p.question == m.asked() && !p.allShown.IsZero() && m.now.Sub(p.allShown) >= line.Settling
}

// layOut lays out the open question in at most room lines.
func (p *panel) layOut(m *Model, width, height, room int) []string {
	id := m.asked()
	if p.question != id || p.width != width || p.height != height {
		*p = panel{question: id, width: width, height: height}
	}
	if p.all == nil || p.of != len(m.questions) { // its number is a part of it
		p.of, p.all = len(m.questions), m.questionLines(width)
	}
	if room < 1 {
		*p = panel{}
		return nil
	}
	p.visible = min(room, len(p.all))
	note := ""
	if len(p.all) > room {
		p.visible = max(1, room-1)
		p.top = max(0, min(p.top, len(p.all)-p.visible))
		note = fmt.Sprintf("  … lines %d–%d of %d · up, down scroll", p.top+1, p.top+p.visible, len(p.all))
		if p.seen < len(p.all) && p.top+p.visible < len(p.all) {
			note += " · read all to answer"
		}
	} else {
		p.top = 0
	}
	p.see(m.now)
	lines := append([]string{}, p.all[p.top:p.top+p.visible]...)
	if note != "" && room > 1 {
		lines = append(lines, styled(yellow, note))
	}
	return lines
}

// see records which lines are visible. Skipped lines do not count as seen.
func (p *panel) see(now time.Time) {
	if p.top <= p.seen {
		p.seen = max(p.seen, p.top+p.visible)
	}
	if p.seen >= len(p.all) && p.allShown.IsZero() {
		p.allShown = now
	}
}

// hide records that the question is hidden: all of it must be shown again.
func (p *panel) hide() { *p = panel{} }

// key scrolls, and reports whether it handled the key.
func (p *panel) key(key string) bool {
	if len(p.all) <= p.visible {
		return false
	}
	switch key {
	case "up":
		p.top--
	case "down":
		p.top++
	case "pgup":
		p.top -= p.visible
	case "pgdown":
		p.top += p.visible
	default:
		return false
	}
	p.top = max(0, min(p.top, len(p.all)-p.visible))
	return true
}

// questionLines returns the open question and the call or the undo that it is about.
func (m *Model) questionLines(width int) []string {
	if len(m.questions) == 0 {
		return m.undo.lines(m, width)
	}
	if q := m.story.questions[m.questions[0].ID]; q != nil {
		return q.open(width, len(m.questions))
	}
	return wrap(harmless(m.questions[0].Text), width)
}
