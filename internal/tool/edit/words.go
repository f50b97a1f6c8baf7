package edit

import (
	"strings"
	"unicode"
)

// Span is a part of a line. Changed spans differ from the other line.
type Span struct {
	Text    string
	Changed bool
}

// Words compares two lines word by word. It returns both lines in spans, with
// none changed if the lines have too little in common to be versions of the same
// line.
func Words(before, after string) (old, replaced []Span) {
	a, b := words(before), words(after)
	same, ok := commonLines(a, b)
	shared := 0
	for _, s := range same {
		shared += len(strings.TrimSpace(a[s[0]]))
	}
	if size := max(len(strings.TrimSpace(before)), len(strings.TrimSpace(after))); !ok || shared*3 < size {
		return []Span{{Text: before}}, []Span{{Text: after}}
	}
	inBefore, inAfter := map[int]bool{}, map[int]bool{}
	for _, s := range same {
		inBefore[s[0]], inAfter[s[1]] = true, true
	}
	return spans(a, inBefore), spans(b, inAfter)
}

// spans joins words to spans.
func spans(words []string, same map[int]bool) []Span {
	var all []Span
	for i, w := range words {
		if n := len(all); n > 0 && all[n-1].Changed == !same[i] {
			all[n-1].Text += w
			continue
		}
		all = append(all, Span{w, !same[i]})
	}
	return all
}

// words splits a line into names and numbers, runs of spaces, and single other
// characters.
func words(line string) []string {
	var all []string
	kind := func(r rune) int {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	last := 0
	for _, r := range line {
		k := kind(r)
		if n := len(all); n > 0 && k != 0 && k == last {
			all[n-1] += string(r)
		} else {
			all = append(all, string(r))
		}
		last = k
	}
	return all
}
