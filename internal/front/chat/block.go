package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
)

// block is a part of the conversation on the screen: a prompt, a complete
// paragraph or a part of code, a tool call, an answered question, a notice. Only
// the end of the model's text, open calls and open questions still change.
type block interface {
	lines(width int, unfolded bool) []string
	fixed() bool // reports whether the block no longer changes
}

// shown is a block that caches its lines once it is fixed.
type shown struct {
	block
	width    int
	unfolded bool
	kept     []string
}

func (s *shown) lines(width int, unfolded bool) []string {
	if s.kept == nil || s.width != width || s.unfolded != unfolded {
		lines := s.block.lines(width, unfolded)
		if !s.fixed() {
			return lines
		}
		s.width, s.unfolded, s.kept = width, unfolded, lines
	}
	return s.kept
}

// note is a notice in the conversation.
type note struct{ style, text string }

func (n *note) fixed() bool { return true }

func (n *note) lines(width int, _ bool) []string {
	return wrap(styled(n.style, harmless(n.text)), width)
}

// promptBlock is a prompt of the user.
type promptBlock struct{ text string }

func (s *promptBlock) fixed() bool { return true }

func (s *promptBlock) lines(width int, _ bool) []string {
	lines := []string{""}
	for i, l := range strings.Split(strings.TrimRight(s.text, "\n"), "\n") {
		prefix := "  "
		if i == 0 {
			prefix = styled(bold, ">") + " "
		}
		lines = append(lines, indented(prefix, "  ", styled(bold, harmless(l)), width)...)
	}
	return append(lines, "")
}

// thought is the model's thinking: one line, until it is unfolded.
type thought struct {
	text         strings.Builder
	began, ended time.Time
	over         bool
}

func (t *thought) fixed() bool { return t.over }

func (t *thought) lines(width int, unfolded bool) []string {
	title := "✻ thought " + elapsed(t.ended.Sub(t.began))
	if !t.over {
		title = "✻ thinking…"
	}
	lines := wrap(styled(dim, title), width)
	if unfolded {
		for _, l := range strings.Split(strings.TrimSpace(t.text.String()), "\n") {
			lines = append(lines, indented("  ", "  ", styled(dim, harmless(l)), width)...)
		}
	}
	return lines
}

// question is a question to the user, open or answered, and the call that it is
// about. While it is open, the panel shows it.
type question struct {
	text, dir string
	call      bellcord.ToolCallRequested
	card      *card             // the call on the screen; nil if it is not there
	changes   []bellcord.Change // shown here while it is open, and by the call afterwards
	complete  bool              // the text and the changes describe the whole call
	opened    time.Time
	answer    string // how it was closed; "" while it is open
}

func (q *question) fixed() bool { return q.answer != "" }

// lines returns what is shown of an answered question. If its call is shown above
// it, one line is enough.
func (q *question) lines(width int, unfolded bool) []string {
	switch {
	case q.answer == "":
		return nil
	case q.card != nil && !unfolded:
		first, _, _ := strings.Cut(q.text, "\n")
		return indented(styled(yellow, "?")+" ", "  ", harmless(first)+styled(dim, " · "+harmless(q.answer)), width)
	}
	lines := q.title(width)
	if unfolded && len(q.changes) == 0 {
		lines = append(lines, details(q.call, q.text, width)...)
	}
	if q.dir != "" {
		lines = append(lines, indented("  ", "  ", styled(dim, "in "+harmless(q.dir)), width)...)
	}
	return append(lines, indented("  ", "  ", styled(dim, harmless(q.answer)), width)...)
}

// open returns all lines of an open question.
func (q *question) open(width, questions int) []string {
	lines := q.title(width)
	if questions > 1 {
		lines = withRight(lines, fmt.Sprintf("question 1 of %d", questions), width)
	}
	place := "in " + harmless(q.dir)
	if len(q.changes) > 0 {
		place += " · " + changeCount(q.changes)
	}
	if q.dir != "" {
		lines = append(lines, indented("  ", "  ", styled(dim, place), width)...)
	}
	return append(lines, q.subject(width)...)
}

// subject returns what the question is about: the changes of files, and the
// arguments of the call that neither they nor the text contain.
func (q *question) subject(width int) []string {
	lines := diff(q.changes, q.dir, q.text, width)
	if q.complete {
		return lines
	}
	text := q.text
	for _, c := range q.changes {
		text += "\n" + c.Path + "\n" + c.New
		if c.Old != nil {
			text += "\n" + *c.Old
		}
	}
	return append(lines, details(q.call, text, width)...)
}

func (q *question) title(width int) []string {
	var lines []string
	for i, l := range strings.Split(strings.TrimRight(q.text, "\n"), "\n") {
		prefix := "  "
		if i == 0 {
			prefix = styled(yellow, "?") + " "
		}
		lines = append(lines, indented(prefix, "  ", harmless(l), width)...)
	}
	return lines
}
