package chat

import "strings"

// answer is the open end of a model's text. Text before it that is complete has
// become blocks: a paragraph, list or table ends with an empty line, code with
// its closing fence. Code that is longer than mostOpen lines becomes blocks
// before it is closed, so that an answer of any length needs few lines that can
// still change.
type answer struct {
	tail  string     // text that is not in a block yet
	read  int        // bytes of the tail that were scanned, in whole lines
	in    string     // the code fence that they leave open
	code  *codeBlock // the open code, if a part of it is in a block
	later bool       // a block of the same text comes before
	over  bool
}

// mostOpen is how many complete lines of open code wait for its closing fence.
const mostOpen = 8

func (a *answer) fixed() bool { return a.over }

// appendText adds a piece of text and returns the blocks that it completes.
func (a *answer) appendText(text string) []block {
	a.tail += text
	var done []block
	for {
		length := strings.IndexByte(a.tail[a.read:], '\n')
		if length < 0 {
			return done
		}
		l := a.tail[a.read : a.read+length]
		a.read += length + 1
		done = append(done, a.readLine(l)...)
	}
}

// readLine handles the next complete line of the tail.
func (a *answer) readLine(l string) []block {
	mark := fence(strings.TrimLeft(l, " "))
	switch {
	case a.in != "" && closes(l, a.in):
		a.in = ""
		return a.finish(a.read)
	case a.in != "":
		if a.code != nil {
			a.code.lines, a.tail, a.read = append(a.code.lines, l), a.tail[a.read:], 0
		}
		return a.finishCode()
	case mark != "":
		a.in = mark
	case strings.TrimSpace(l) == "":
		return a.finish(a.read)
	}
	return nil
}

// finish turns tail[:to] into a block, or open code into its last part.
func (a *answer) finish(to int) []block {
	text := a.tail[:to]
	a.tail, a.read = a.tail[to:], 0
	if a.code != nil {
		last := a.code.part()
		a.code = nil
		return []block{last}
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	b := &rendered{text, a.later}
	a.later = true
	return []block{b}
}

// finishCode turns the complete lines of open code into a block if there are
// too many of them to wait for the end.
func (a *answer) finishCode() []block {
	if a.code != nil {
		if len(a.code.lines)-a.code.from < mostOpen {
			return nil
		}
		return []block{a.code.part()}
	}
	before, language, lines := openCode(a.tail[:a.read])
	if len(lines) < mostOpen {
		return nil
	}
	a.tail, a.read = a.tail[a.read:], 0
	var done []block
	a.code = &codeBlock{language: language, lines: lines, later: a.later}
	if strings.TrimSpace(before) != "" {
		done = append(done, &rendered{before, a.later})
		a.code.later = false
	}
	a.later = true
	return append(done, a.code.part())
}

// openCode splits a text that ends in open code: the text before the code, its
// language and its lines.
func openCode(text string) (before, language string, lines []string) {
	all, mark, from := strings.Split(strings.TrimSuffix(text, "\n"), "\n"), "", 0
	for i, l := range all {
		body := strings.TrimLeft(l, " ")
		switch {
		case mark == "" && fence(body) != "":
			mark, language, from = fence(body), languageOf(body), i
		case mark != "" && closes(l, mark):
			mark = ""
		}
	}
	return strings.Join(all[:from], "\n"), language, all[from+1:]
}

// endText marks the end of the text. It ends a code fence that was left open.
func (a *answer) endText() {
	if a.code != nil && a.tail != "" {
		a.code.lines = append(a.code.lines, a.tail)
	}
	a.over = true
}

func (a *answer) lines(width int, _ bool) []string {
	if a.code != nil {
		open := *a.code
		if !a.over && a.tail != "" {
			open.lines = append(open.lines[:len(open.lines):len(open.lines)], a.tail)
		}
		return open.part().lines(width, false)
	}
	if strings.TrimSpace(a.tail) == "" {
		return nil
	}
	if a.over {
		return (&rendered{a.tail, a.later}).lines(width, false)
	}
	return behind(a.later, wrap(harmless(strings.Trim(a.tail, "\n")), width))
}

// rendered is complete Markdown.
type rendered struct {
	source string
	later  bool // a block of the same text comes before
}

func (r *rendered) fixed() bool { return true }

func (r *rendered) lines(width int, _ bool) []string {
	return behind(r.later, markdown(r.source, width))
}

// behind adds an empty line before the lines if they follow a block of the same
// text.
func behind(later bool, lines []string) []string {
	if !later {
		return lines
	}
	return append([]string{""}, lines...)
}

// codeBlock is open code of which a part is in blocks already.
type codeBlock struct {
	language string
	lines    []string
	from     int  // the first line that is not in a block
	later    bool // a block of the same text comes before the next part
}

// part returns the lines that are in no block as a block.
func (c *codeBlock) part() *codePart {
	p := &codePart{c.language, c.lines[:len(c.lines):len(c.lines)], c.from, c.later}
	c.from, c.later = len(c.lines), false
	return p
}

// codePart is a part of long code: the lines from a number on. It has the earlier
// ones for their colours.
type codePart struct {
	language string
	all      []string
	from     int
	later    bool
}

func (c *codePart) fixed() bool { return true }

func (c *codePart) lines(width int, _ bool) []string {
	return behind(c.later, code(c.language, c.all, c.from, width))
}
