package chat

import "strings"

// answer is the text of the model. Finished blocks are rendered as Markdown;
// the rest is shown as plain text while it streams.
type answer struct {
	done []*shown // finished blocks
	tail string   // text after them
	read int      // bytes of the tail that were scanned, in whole lines
	in   string   // the code fence that they leave open
	over bool
}

func (a *answer) fixed() bool { return a.over }

// appendText adds a piece of text and finishes the blocks that it completes.
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

// finish turns tail[:to] into a finished block.
func (a *answer) finish(to int) {
	if strings.TrimSpace(a.tail[:to]) != "" {
		a.done = append(a.done, &shown{block: &rendered{a.tail[:to]}})
	}
	a.tail, a.read = a.tail[to:], 0
}

// endText marks the end of the text. It ends a code fence that was left open.
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

// rendered is a finished block of Markdown.
type rendered struct{ source string }

func (r *rendered) fixed() bool { return true }

func (r *rendered) lines(width int, _ bool) []string { return markdown(r.source, width) }
