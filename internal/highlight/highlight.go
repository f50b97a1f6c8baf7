// Package highlight finds the parts of source code that editors show in colours:
// keywords, strings, comments and numbers.
//
// It does not parse. It recognizes words by tables, which is enough to read code
// on a terminal, needs no initialization and takes time in proportion to the
// length of the code.
package highlight

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a part of the code is.
type Kind int

// The kinds of parts.
const (
	Plain Kind = iota
	Keyword
	String
	Comment
	Number
	Added   // a line of a diff
	Removed // a line of a diff
)

// Span is a part of a line.
type Span struct {
	Kind Kind
	Text string
}

// Lines returns the parts of each line; false if the language is not supported.
// The texts of the parts of a line are the line.
func Lines(language string, lines []string) ([][]Span, bool) {
	name := strings.ToLower(language)
	if name == "diff" || name == "patch" {
		return diff(lines), true
	}
	l := languages()[name]
	if l == nil {
		return nil, false
	}
	all := make([][]Span, len(lines))
	s := scanner{language: l}
	for i, line := range lines {
		all[i] = s.line(line)
	}
	return all, true
}

func diff(lines []string) [][]Span {
	all := make([][]Span, len(lines))
	for i, line := range lines {
		kind := Plain
		switch {
		case strings.HasPrefix(line, "+"):
			kind = Added
		case strings.HasPrefix(line, "-"):
			kind = Removed
		case strings.HasPrefix(line, "@@"):
			kind = Comment
		}
		all[i] = []Span{{kind, line}}
	}
	return all
}

// scanner reads lines in order. until is the end of a comment or string that
// continues from the line before.
type scanner struct {
	*language
	until string
	kind  Kind
}

func (s *scanner) line(line string) []Span {
	var spans []Span
	add := func(kind Kind, text string) {
		if n := len(spans); n > 0 && spans[n-1].Kind == kind {
			spans[n-1].Text += text
		} else if text != "" {
			spans = append(spans, Span{kind, text})
		}
	}
	for line != "" {
		kind, size := s.scan(line)
		add(kind, line[:size])
		line = line[size:]
	}
	return spans
}

// scan returns the kind and the size of the part at the start of a text.
func (s *scanner) scan(text string) (Kind, int) {
	if s.until != "" {
		return s.rest(text, 0)
	}
	for _, mark := range s.comments {
		if strings.HasPrefix(text, mark) {
			return Comment, len(text)
		}
	}
	for _, b := range s.blocks {
		if strings.HasPrefix(text, b.begin) {
			s.until, s.kind = b.end, b.kind
			return s.rest(text, len(b.begin))
		}
	}
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case strings.ContainsRune(s.quotes, r):
		return String, quoted(text)
	case unicode.IsDigit(r):
		return Number, extent(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '_' })
	case letter(r):
		size = extent(text, func(r rune) bool { return letter(r) || unicode.IsDigit(r) })
		word := text[:size]
		if s.anyCase {
			word = strings.ToLower(word)
		}
		if s.keywords[word] {
			return Keyword, size
		}
	}
	return Plain, size
}

// rest returns the part up to the end of a comment or string that is open.
func (s *scanner) rest(text string, from int) (Kind, int) {
	kind := s.kind
	if end := strings.Index(text[from:], s.until); end >= 0 {
		size := from + end + len(s.until)
		s.until = ""
		return kind, size
	}
	return kind, len(text)
}

// quoted returns the size of a string that ends on its line. One that is not
// closed ends with the line.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}

// extent returns the size of the characters at the start that belong to a word.
func extent(text string, belongs func(rune) bool) int {
	if end := strings.IndexFunc(text, func(r rune) bool { return !belongs(r) }); end > 0 {
		return end
	}
	return len(text)
}

func letter(r rune) bool { return r == '_' || r == '$' || r == '@' || unicode.IsLetter(r) }
