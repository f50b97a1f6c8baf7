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
func (qs *questions) settled(letter string) bool {
	since := qs.panel.since(letter)
	return qs.asked() != "" && qs.panel.question == qs.asked() && !since.IsZero() && qs.now.Sub(since) >= line.Settling
}

// since returns the time from which on an answer settles; zero if it cannot yet.
func (p *panel) since(letter string) time.Time {
	if strings.ToLower(letter) == "n" {
		return p.shown
	}
	return p.allShown
}

// measure returns the number of lines of the open question.
func (qs *questions) measure(width, height int) int {
	p, id := &qs.panel, qs.asked()
	if p.question != id || p.width != width || p.height != height {
		*p = panel{question: id, width: width, height: height}
	}
	if p.all == nil || p.of != len(qs.open) { // its number is a part of it
		p.of, p.all = len(qs.open), qs.questionLines(width)
	}
	return len(p.all)
}

// layOut lays out the open question in at most room lines.
func (qs *questions) layOut(width, height, room int) []string {
	qs.measure(width, height)
	p := &qs.panel
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
	p.see(qs.now)
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

// answerRows is the number of rows of a window in which each answer has a line.
const answerRows = 12

// answerLines returns the answers with their letters: one line for each or, in a
// small window and for a form, all in one. The marked answer, which Enter
// confirms, is highlighted. A mark does not change the number of lines, so that
// the question above does not move.
func (qs *questions) answerLines(width, height int) []string {
	letter := strings.ToLower(qs.marked())
	switch {
	case qs.openForm() != nil:
		return wrap(styled(bold, harmless(qs.form.Prompt()))+styled(dim, " · up goes back · esc stops the turn"), width)
	case letter != "" && qs.reply.explains:
		return wrap(styled(bold, "› why? The reason goes to the agent")+styled(dim, " · enter rejects · esc stops the turn"), width)
	case height < answerRows || len(qs.open) > 0 && qs.open[0].HasForm():
		return qs.answersInOneLine(letter, width)
	}
	var lines []string
	for _, l := range qs.letters() {
		row, more := l+" "+qs.answerWords(l), ""
		if qs.explainable(l) {
			more = styled(dim, " · tab adds a reason")
		}
		answer := indented("  ", "  ", row+more, width)
		if l == letter {
			clear(answer)
			copy(answer, markedAnswer(row, qs.confirmWords(l), width))
		}
		lines = append(lines, answer...)
	}
	return lines
}

// markedAnswer returns a marked answer, with as many of the words about its keys as fit
// into its last line.
func markedAnswer(row string, keys []string, width int) []string {
	lines := indented(styled(bold, "› "), "  ", styled(bold, row), width)
	last := len(lines) - 1
	for _, key := range keys {
		if ansi.StringWidth(lines[last]+" · "+key) <= width {
			lines[last] += styled(dim, " · ") + styled(bold, key)
		}
	}
	return lines
}

// confirmWords names the keys for the marked answer.
func (qs *questions) confirmWords(letter string) []string {
	keys := []string{"enter confirms"}
	if qs.explainable(letter) {
		keys = append(keys, "tab adds a reason")
	}
	return append(keys, "any other key cancels")
}

func (qs *questions) answersInOneLine(letter string, width int) []string {
	if letter == "" {
		return wrap(styled(yellow, strings.Join(qs.answers(" "), " · ")+" — then enter"), width)
	}
	words := append([]string{letter + " " + qs.answerWords(letter)}, qs.confirmWords(letter)...)
	return wrap(styled(bold, "› "+strings.Join(words, " · ")), width)
}

// answerWords describes what a letter answers in its own line. An answer for the
// session allows only the same call again.
func (qs *questions) answerWords(letter string) string {
	words := qs.offer(letter)
	if letter == "n" || len(qs.open) == 0 || qs.open[0].HasForm() {
		return words
	}
	if letter == "a" && words == meanings[letter] && qs.open[0].Call != "" {
		words += ": exactly this call"
	}
	return "allow " + words
}

// questionLines returns the open question and the call or the undo that it is about.
func (qs *questions) questionLines(width int) []string {
	if len(qs.open) == 0 {
		return qs.undo.lines(width)
	}
	if q := qs.blocks.questions[qs.open[0].ID]; q != nil {
		return q.open(width, len(qs.open))
	}
	return wrap(harmless(qs.open[0].Text), width)
}

// status returns the status while a question is open. A narrow window shows only how
// to answer it.
func (qs *questions) status(stopKey string) status {
	s := status{style: yellow, words: "? waiting for you", keys: stopKey}
	if qs.turn == "" {
		s.keys = "esc cancels" // the undo
	} else if q := qs.blocks.questions[qs.open[0].ID]; q != nil {
		s.words += " " + elapsed(qs.now.Sub(q.opened))
	}
	if answer := qs.lettersToPress(); answer != "" {
		s.words, s.short = s.words+" · "+answer, "? "+answer
	}
	return s
}

// lettersToPress returns the letters that answer the open question, or why they do
// not yet. While a form or a reason is typed, letters are text.
func (qs *questions) lettersToPress() string {
	letters := qs.letters()
	if last := len(letters) - 1; last > 0 {
		letters = []string{strings.Join(letters[:last], ", ") + " or " + letters[last]}
	}
	switch {
	case len(letters) == 0 || qs.openForm() != nil || qs.marked() != "" && qs.reply.explains:
		return ""
	case qs.marked() != "":
		return "enter confirms"
	case qs.notYet() != "":
		return qs.notYet()
	}
	return letters[0] + ", then enter"
}
