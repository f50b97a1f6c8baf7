package chat

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// editor is the input: its text and the position of the cursor.
type editor struct {
	text []rune
	at   int
}

func (e *editor) String() string { return string(e.text) }
func (e *editor) empty() bool    { return len(e.text) == 0 }

func (e *editor) set(text string) {
	e.text = []rune(text)
	e.at = len(e.text)
}

func (e *editor) insert(text string) {
	added := []rune(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
	e.text = append(e.text[:e.at:e.at], append(added, e.text[e.at:]...)...)
	e.at += len(added)
}

// press handles a key that moves, deletes or breaks the line, and reports
// whether it did.
func (e *editor) press(key string) bool {
	switch key {
	case "left", "ctrl+b":
		e.at = max(0, e.at-1)
	case "right", "ctrl+f":
		e.at = min(len(e.text), e.at+1)
	case "home", "ctrl+a":
		e.at = e.lineStart()
	case "end", "ctrl+e":
		e.at = e.lineEnd()
	case "alt+left", "ctrl+left", "alt+b":
		e.at = e.wordStart()
	case "alt+right", "ctrl+right", "alt+f":
		e.at = e.wordEnd()
	case "alt+d":
		e.cut(e.at, e.wordEnd())
	case "backspace", "ctrl+h":
		e.cut(max(0, e.at-1), e.at)
	case "delete", "ctrl+d":
		e.cut(e.at, min(len(e.text), e.at+1))
	case "ctrl+w", "alt+backspace":
		e.cut(e.wordStart(), e.at)
	case "ctrl+u":
		e.cut(e.lineStart(), e.at)
	case "ctrl+k":
		e.cut(e.at, e.lineEnd())
	case "ctrl+j", "alt+enter", "shift+enter":
		e.insert("\n")
	default:
		return false
	}
	return true
}

// moveLine moves the cursor one line up or down, and reports whether there is
// such a line. Lines are those of the text, not those of the screen.
func (e *editor) moveLine(by int) bool {
	column := e.at - e.lineStart()
	if by < 0 {
		if e.lineStart() == 0 {
			return false
		}
		e.at = e.lineStart() - 1
	} else {
		if e.lineEnd() == len(e.text) {
			return false
		}
		e.at = e.lineEnd() + 1
		e.at = e.lineEnd()
	}
	e.at = min(e.at, e.lineStart()+column)
	return true
}

func (e *editor) cut(from, to int) {
	e.text = append(e.text[:from:from], e.text[to:]...)
	e.at = from
}

func (e *editor) lineStart() int {
	at := e.at
	for at > 0 && e.text[at-1] != '\n' {
		at--
	}
	return at
}

func (e *editor) lineEnd() int {
	at := e.at
	for at < len(e.text) && e.text[at] != '\n' {
		at++
	}
	return at
}

// wordEnd returns the end of the word at the cursor, or of the next one.
func (e *editor) wordEnd() int {
	at := e.at
	for at < len(e.text) && unicode.IsSpace(e.text[at]) {
		at++
	}
	for at < len(e.text) && !unicode.IsSpace(e.text[at]) {
		at++
	}
	return at
}

func (e *editor) wordStart() int {
	at := e.at
	for at > 0 && unicode.IsSpace(e.text[at-1]) {
		at--
	}
	for at > 0 && !unicode.IsSpace(e.text[at-1]) {
		at--
	}
	return at
}

// lines returns at most the given number of lines around the cursor, and the
// position of the cursor in them. Lines break between characters, also inside
// words, so that typed text does not move.
func (e *editor) lines(width, most int) (shown []string, x, y int) {
	row, column := "", 0
	end := func() {
		shown = append(shown, row)
		row, column = "", 0
	}
	for i, r := range e.text {
		if i == e.at {
			x, y = column, len(shown)
		}
		if r == '\n' {
			end()
			continue
		}
		glyph := harmless(string(r))
		size := ansi.StringWidth(glyph)
		if column+size > width {
			end()
			if i == e.at {
				x, y = 0, len(shown)
			}
		}
		row, column = row+glyph, column+size
	}
	if e.at == len(e.text) {
		x, y = column, len(shown)
	}
	end()
	top := max(0, y-most+1)
	return shown[top:min(len(shown), top+most)], x, y - top
}
