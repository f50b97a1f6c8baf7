package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

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
	shown         time.Time // when the question appeared
	allShown      time.Time // when all of its lines had been shown; zero before
	jumped        bool      // the last key was a G that scrolled to the end
}

// settled reports whether the open question has been visible long enough for an
// answer: a part of it for a rejection, all of it for any other answer.
func (p *panel) settled(m *Model, letter string) bool {
	since := p.since(letter)
	return m.HasQuestion() && p.question == m.asked() && !since.IsZero() && m.now.Sub(since) >= line.Settling
}

// since returns the time from which on an answer settles; zero if it cannot yet.
func (p *panel) since(letter string) time.Time {
	if strings.ToLower(letter) == "n" {
		return p.shown
	}
	return p.allShown
}

// measure returns the number of lines of the open question.
func (p *panel) measure(m *Model, width, height int) int {
	id := m.asked()
	if p.question != id || p.width != width || p.height != height {
		*p = panel{question: id, width: width, height: height}
	}
	if p.all == nil || p.of != len(m.questions) { // its number is a part of it
		p.of, p.all = len(m.questions), m.questionLines(width)
	}
	return len(p.all)
}

// layOut lays out the open question in at most room lines.
func (p *panel) layOut(m *Model, width, height, room int) []string {
	p.measure(m, width, height)
	if room < 1 {
		*p = panel{}
		return nil
	}
	p.visible = min(room, len(p.all))
	note := ""
	if len(p.all) > room {
		p.visible = max(1, room-1)
		p.top = max(0, min(p.top, len(p.all)-p.visible))
		note = p.note(width)
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

// note describes the visible lines of a question that does not fit, and names as
// many of its keys as fit into the width.
func (p *panel) note(width int) string {
	note := fmt.Sprintf("  … lines %d–%d of %d", p.top+1, p.top+p.visible, len(p.all))
	keys := []string{" · up, down scroll"}
	if p.seen < len(p.all) && p.top+p.visible < len(p.all) {
		keys = []string{" · end reads all", keys[0]}
	}
	for _, key := range keys {
		if ansi.StringWidth(note+key) <= width {
			note += key
		}
	}
	return note
}

// see records which lines are visible. Skipped lines do not count as seen, unless
// the user has asked for the end.
func (p *panel) see(now time.Time) {
	if p.shown.IsZero() {
		p.shown = now
	}
	if p.top <= p.seen {
		p.seen = max(p.seen, p.top+p.visible)
	}
	if p.seen >= len(p.all) && p.allShown.IsZero() {
		p.allShown = now
	}
}

// hide records that the question is hidden: all of it must be shown again.
func (p *panel) hide() { *p = panel{} }

// key scrolls, and reports whether it handled the key. A jump to the end counts as
// reading all: the user decides how closely to look.
func (p *panel) key(key, text string) bool {
	if len(p.all) <= p.visible {
		return false
	}
	switch {
	case key == "up":
		p.top--
	case key == "down":
		p.top++
	case key == "pgup":
		p.top -= p.visible
	case key == "pgdown":
		p.top += p.visible
	case key == "home":
		p.top = 0
	case key == "end" || text == "G":
		p.top, p.seen, p.jumped = len(p.all), len(p.all), text == "G"
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
