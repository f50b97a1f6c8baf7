package main

import (
	"fmt"
	"strconv"
	"strings"
)

// style is the appearance of characters: a colour ("" is the terminal's default) and attributes.
type style struct {
	colour                          string
	bold, dim, italic, line, invert bool
}

// stretch is a run of adjacent characters of one style.
type stretch struct {
	column int
	text   string
	style  style
}

// palette contains the sixteen colours, chosen to be readable on the window's background.
var palette = [16]string{
	"#6e7681", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea", "#e6edf3",
	"#8b949e", "#ffa198", "#a5f0b5", "#f2cc60", "#a5d6ff", "#e2c5ff", "#b3f0ff", "#ffffff",
}

// stretches splits a captured row by style. The style continues from row to row, as in tmux's
// output. Every character counts as one column wide.
func stretches(row string, now style) ([]stretch, style) {
	var all []stretch
	column := 0
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			all = append(all, stretch{column - len([]rune(text.String())), text.String(), now})
			text.Reset()
		}
	}
	for row != "" {
		if codes, rest, ok := escape(row); ok {
			if next := now.after(codes); next != now {
				flush()
				now = next
			}
			row = rest
			continue
		}
		r := []rune(row)[0]
		text.WriteRune(r)
		column++
		row = row[len(string(r)):]
	}
	flush()
	return all, now
}

// escape reads one SGR sequence. A capture contains no other sequences.
func escape(row string) (codes []int, rest string, ok bool) {
	inner, found := strings.CutPrefix(row, "\x1b[")
	if !found {
		return nil, row, false
	}
	list, rest, found := strings.Cut(inner, "m")
	if !found {
		return nil, row, false
	}
	for word := range strings.SplitSeq(list, ";") {
		n, _ := strconv.Atoi(word) // an empty parameter is 0
		codes = append(codes, n)
	}
	return codes, rest, true
}

func (s style) after(codes []int) style {
	for len(codes) > 0 {
		code := codes[0]
		codes = codes[1:]
		switch {
		case code == 0:
			s = style{}
		case code == 1:
			s.bold = true
		case code == 2:
			s.dim = true
		case code == 3:
			s.italic = true
		case code == 4:
			s.line = true
		case code == 7:
			s.invert = true
		case code == 22:
			s.bold, s.dim = false, false
		case code == 23:
			s.italic = false
		case code == 24:
			s.line = false
		case code == 27:
			s.invert = false
		case code == 39:
			s.colour = ""
		case code >= 30 && code <= 37:
			s.colour = palette[code-30]
		case code >= 90 && code <= 97:
			s.colour = palette[code-90+8]
		case code == 38:
			s.colour, codes = extended(codes)
		case code == 48: // backgrounds are not drawn
			_, codes = extended(codes)
		}
	}
	return s
}

// extended reads a colour by number (5;N) or by its components (2;R;G;B).
func extended(codes []int) (colour string, rest []int) {
	switch {
	case len(codes) >= 4 && codes[0] == 2:
		return fmt.Sprintf("#%02x%02x%02x", codes[1]&255, codes[2]&255, codes[3]&255), codes[4:]
	case len(codes) >= 2 && codes[0] == 5:
		return numbered(codes[1]), codes[2:]
	}
	return "", nil
}

func numbered(n int) string {
	switch {
	case n < 0 || n > 255:
		return ""
	case n < 16:
		return palette[n]
	case n < 232:
		level := func(v int) int { return min(v, 1)*55 + v*40 }
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
	}
	grey := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}
