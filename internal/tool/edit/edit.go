// Package edit changes text as models describe it: by the old and the new text,
// or by a patch. It accepts old text that differs from the file in a few ways
// that cannot change its meaning, such as line ends or indentation, if exactly
// one place matches. It never matches by similarity. Only the matched bytes are
// replaced; all other bytes stay as they are.
package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Edit replaces Old by New. Without All, Old must have exactly one place.
type Edit struct {
	Old, New string
	All      bool
}

// Applied is the outcome of an edit.
type Applied struct {
	Text   string
	Places int
	Note   string // how Old differed from the file, "" if it did not
}

// span is a part of a text and its replacement.
type span struct {
	start, end int
	new        string
}

// MaxNormalized is the size of the largest text, in bytes, in which Apply
// accepts old text that differs from the file.
const MaxNormalized = 4 << 20

// Apply applies an edit to a text. most limits the size of the result.
func Apply(text string, e Edit, most int) (Applied, error) {
	if e.Old == "" {
		return Applied{}, errors.New("the old text is empty")
	}
	if e.Old == e.New {
		return Applied{}, errors.New("the old and the new text are the same")
	}
	before, after := lineEnds(text, e.Old, e.New)
	if n := strings.Count(text, before); n > 0 && e.All {
		if err := fits(len(text)+n*(len(after)-len(before)), most); err != nil {
			return Applied{}, err
		}
		return Applied{Text: strings.ReplaceAll(text, before, after), Places: n}, nil
	}
	found, note, err := locate(text, e)
	if err == nil {
		err = fits(len(text)+len(found.new)-(found.end-found.start), most)
	}
	if err != nil {
		return Applied{}, err
	}
	return Applied{Text: text[:found.start] + found.new + text[found.end:], Places: 1, Note: note}, nil
}

func fits(size, most int) error {
	if size > most {
		return fmt.Errorf("the file would be larger than %d bytes", most)
	}
	return nil
}

// ApplyAll applies edits one after the other, each to the result of the one
// before. If one of them fails, the error contains its number and nothing is
// applied.
func ApplyAll(text string, edits []Edit, most int) (Applied, error) {
	all := Applied{Text: text}
	var notes []string
	for i, e := range edits {
		one, err := Apply(all.Text, e, most)
		if err != nil {
			if len(edits) > 1 {
				err = fmt.Errorf("edit %d of %d: %w\nNo edit was applied", i+1, len(edits), err)
			}
			return Applied{}, err
		}
		all.Text, all.Places = one.Text, all.Places+one.Places
		if one.Note != "" && !slices.Contains(notes, one.Note) {
			notes = append(notes, one.Note)
		}
	}
	all.Note = strings.Join(notes, "; ")
	return all, nil
}

// locate returns the only place of an edit, and how the old text differed there.
func locate(text string, e Edit) (span, string, error) {
	switch found := exactSpans(text, e.Old, e.New); len(found) {
	case 0:
	case 1:
		return found[0], "", nil
	default:
		return span{}, "", fmt.Errorf("the old text occurs more than once, in %s; include more of the surrounding lines, or set all", linesOf(text, found, 0))
	}
	if len(text) <= MaxNormalized {
		for _, n := range normalizations {
			found, err := n.find(text, e)
			switch {
			case err != nil:
				return span{}, "", err
			case len(found) == 1:
				return found[0], n.note, nil
			case len(found) > 1:
				return span{}, "", fmt.Errorf("the old text is not in the file as written; by %s it matches %s; include more of the surrounding lines",
					n.note, linesOf(text, found, 0))
			}
		}
	}
	return span{}, "", diagnose(text, e, 0)
}

// mostPlaces is the maximum number of places that are counted.
const mostPlaces = 1000

// occurrences returns where old begins in text, including places that overlap;
// at most mostPlaces.
func occurrences(text, old string) []int {
	var all []int
	for from := 0; len(all) < mostPlaces; {
		i := strings.Index(text[from:], old)
		if i < 0 {
			break
		}
		all = append(all, from+i)
		from += i + 1
	}
	return all
}

// mostLines is the maximum number of line numbers in an error.
const mostLines = 20

// linesOf returns the numbers of the lines in which the spans begin. The text is
// preceded by skipped lines of the file.
func linesOf(text string, spans []span, skipped int) string {
	var numbers []string
	at, line := 0, 1+skipped
	for i, s := range spans {
		if i == mostLines {
			numbers = append(numbers, fmt.Sprintf("and %d more", len(spans)-i))
			break
		}
		line += strings.Count(text[at:s.start], "\n")
		at = s.start
		numbers = append(numbers, fmt.Sprint(line))
	}
	if len(numbers) == 1 {
		return "line " + numbers[0]
	}
	return "lines " + strings.Join(numbers, ", ")
}

// lineEnds converts the line ends of an edit to those of the file, because
// models write \n whatever the file contains. In a file with both kinds, text
// that occurs as given is not converted.
func lineEnds(text, before, after string) (string, string) {
	crlf := strings.Count(text, "\r\n")
	switch {
	case crlf == 0 && !strings.Contains(text, before):
		return strings.ReplaceAll(before, "\r\n", "\n"), strings.ReplaceAll(after, "\r\n", "\n")
	case crlf == 0 || crlf < strings.Count(text, "\n") && strings.Contains(text, before):
		return before, after
	}
	return CRLF(before), CRLF(after)
}

// CRLF returns a text with CRLF as its line ends.
func CRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}
