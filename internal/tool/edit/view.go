package edit

import (
	"strings"
	"unicode/utf8"
)

// view is a normalized form of a text. Byte i of the form stands for the bytes
// start[i] to end[i] of the text.
type view struct {
	form       string
	start, end []int32
}

// viewOf normalizes a text line by line: trailing blanks and carriage returns
// are removed, and each rune is replaced by plain(rune).
func viewOf(text string, plain func(rune) rune) view {
	v := view{start: make([]int32, 0, len(text)), end: make([]int32, 0, len(text))}
	var form strings.Builder
	form.Grow(len(text))
	add := func(s string, start, end int) {
		form.WriteString(s)
		for range len(s) {
			v.start, v.end = append(v.start, int32(start)), append(v.end, int32(end)) //nolint:gosec // at most MaxNormalized
		}
	}
	at := 0
	for _, line := range Lines(text) {
		kept := strings.TrimRight(line, " \t\r\n")
		for i := 0; i < len(kept); {
			r, size := utf8.DecodeRuneInString(kept[i:])
			if r == utf8.RuneError { // invalid bytes stay as they are
				add(kept[i:i+size], at+i, at+i+size)
			} else {
				add(string(plain(r)), at+i, at+i+size)
			}
			i += size
		}
		if strings.HasSuffix(line, "\n") {
			add("\n", at+len(kept), at+len(line))
		}
		at += len(line)
	}
	v.form = form.String()
	return v
}

func blanksAtEnds(r rune) rune { return r }

// typography replaces typographic quotes, dashes and spaces by plain ones.
func typography(r rune) rune {
	switch r {
	case '\u2018', '\u2019', '\u201A', '\u201B', '\u2032':
		return '\''
	case '\u201C', '\u201D', '\u201E', '\u201F', '\u2033', '\u00AB', '\u00BB':
		return '"'
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2015', '\u2212':
		return '-'
	case '\u00A0', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006', '\u2007', '\u2008', '\u2009', '\u200A', '\u202F', '\u205F', '\u3000':
		return ' '
	}
	return r
}

// inView finds the old text in normalized form. Where the old and the new text
// agree, the bytes of the file stay.
func inView(plain func(rune) rune) func(string, Edit) ([]span, error) {
	return func(text string, e Edit) ([]span, error) {
		v, old := viewOf(text, plain), viewOf(e.Old, plain).form
		if strings.TrimSpace(old) == "" {
			return nil, nil
		}
		var found []span
		for _, at := range occurrences(v.form, old) {
			start, end := int(v.start[at]), int(v.end[at+len(old)-1])
			found = append(found, span{start, end, graft(text[start:end], e.Old, e.New, lineEndOf(text), plain)})
		}
		return found, nil
	}
}
