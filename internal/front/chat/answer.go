package chat

import "strings"

// answer is what the model says. Blocks that are finished are shown as the
// Markdown they are; what is still being said, as the text it is.
type answer struct {
	done []*shown // finished blocks
	tail string   // what is behind them
	read int      // bytes of the tail that are whole lines, and looked at
	in   string   // the fence that they leave open
	over bool
}

func (a *answer) fixed() bool { return a.over }

// appendText takes another piece of it.
func (a *answer) appendText(text string) {
	a.tail += text
	for {
		length := strings.IndexByte(a.tail[a.read:], '\n')
		if length < 0 {
			return
		}
		l := a.tail[a.read : a.read+length]
		a.read += length + 1
		mark := fence(strings.TrimLeft(l, " "))
		switch {
		case a.in != "" && closes(l, a.in):
			a.in = ""
			a.finish(a.read)
		case a.in != "":
		case mark != "":
			a.in = mark
		case strings.TrimSpace(l) == "":
			a.finish(a.read)
		}
	}
}

// finish makes a block of the beginning of the tail.
func (a *answer) finish(to int) {
	if strings.TrimSpace(a.tail[:to]) != "" {
		a.done = append(a.done, &shown{block: &rendered{a.tail[:to]}})
	}
	a.tail, a.read = a.tail[to:], 0
}

// endText marks the end of the text. A code fence that a stop left open ends
// here.
func (a *answer) endText() {
	a.finish(len(a.tail))
	a.over = true
}

func (a *answer) lines(width int, unfolded bool) []string {
	var lines []string
	for i, block := range a.done {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, block.lines(width, unfolded)...)
	}
	if strings.TrimSpace(a.tail) == "" {
		return lines
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	return append(lines, wrap(harmless(strings.Trim(a.tail, "\n")), width)...)
}

// rendered is a finished block.
type rendered struct{ source string }

func (r *rendered) fixed() bool { return true }

func (r *rendered) lines(width int, _ bool) []string { return markdown(r.source, width) }
