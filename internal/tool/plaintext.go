package tool

import (
	"strings"
	"unicode/utf8"
)

// plaintext converts the output of a command, piece by piece, to the text that
// remains on a terminal: without escape sequences, and of a line that was
// overwritten after a carriage return only the last version.
type plaintext struct {
	line   []byte // the current line, if it can still be overwritten
	escape []byte // an escape sequence that is not complete
	back   bool   // the last character was a carriage return
}

// mostHeld limits how much of a line is held back until it is complete.
const mostHeld = 8 << 10

// next returns the text that is complete.
func (p *plaintext) next(piece string) string {
	var out strings.Builder
	for _, r := range piece {
		switch {
		case len(p.escape) > 0:
			p.escape = utf8.AppendRune(p.escape, r)
			if escapeEnded(p.escape) {
				p.escape = p.escape[:0]
			}
		case r == '\x1b':
			p.escape = append(p.escape, '\x1b')
		case r == '\n':
			out.Write(append(p.line, '\n'))
			p.line, p.back = p.line[:0], false
		case r == '\r':
			p.back = true
		case r == '\b':
			_, size := utf8.DecodeLastRune(p.line)
			p.line = p.line[:len(p.line)-size]
		case r >= ' ' && r != '\x7f' || r == '\t':
			if p.back {
				p.line, p.back = p.line[:0], false
			}
			if p.line = utf8.AppendRune(p.line, r); len(p.line) > mostHeld {
				out.Write(p.line)
				p.line = p.line[:0]
			}
		}
	}
	return out.String()
}

// rest returns the last line if it has no line ending.
func (p *plaintext) rest() string {
	text := string(p.line)
	*p = plaintext{}
	return text
}

// escapeEnded reports whether an escape sequence is complete. One without an end
// is dropped after some bytes.
func escapeEnded(s []byte) bool {
	if len(s) < 2 {
		return false
	}
	last := s[len(s)-1]
	switch s[1] {
	case '[':
		return len(s) > 2 && last >= '@' && last <= '~' || len(s) > 64
	case ']', 'P', '_', '^', 'X': // a string: it ends with BEL or ESC \
		return last == '\a' || last == '\\' && s[len(s)-2] == '\x1b' || len(s) > 4<<10
	case '(', ')', '*', '+', '#', '%', ' ':
		return len(s) > 2
	}
	return true
}
