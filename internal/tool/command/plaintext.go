package command

import (
	"strings"
	"unicode/utf8"
)

// Plaintext converts the output of a command, piece by piece, to the text that
// remains on a terminal: without escape sequences, and of a line that was
// overwritten after a carriage return only the last version.
type Plaintext struct {
	line   []byte // the current line, if it can still be overwritten
	escape []byte // an escape sequence that is not complete
	back   bool   // the last character was a carriage return
}

// mostHeld limits how much of a line is held back until it is complete.
const mostHeld = 8 << 10

// Next returns the text that is complete.
func (p *Plaintext) Next(piece string) string {
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

// Rest returns the last line if it has no line ending.
func (p *Plaintext) Rest() string {
	text := string(p.line)
	*p = Plaintext{}
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

// TextStream converts bytes to text piece by piece. A character that is split
// between two reads is held back until it is complete; invalid bytes are
// replaced.
type TextStream struct{ rest []byte }

// Next returns the characters that are complete with data.
func (u *TextStream) Next(data []byte) string {
	data = append(u.rest, data...)
	end := len(data)
	for back := 1; back < utf8.UTFMax && back <= len(data); back++ {
		if b := data[len(data)-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(data[len(data)-back:]) {
				end = len(data) - back
			}
			break
		}
	}
	u.rest = append([]byte(nil), data[end:]...)
	return strings.ToValidUTF8(string(data[:end]), "\uFFFD")
}
