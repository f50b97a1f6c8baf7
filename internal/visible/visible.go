// Package visible shows the characters that disguise a text.
package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns a text in which characters that control a terminal, change the
// direction of writing or are not visible are replaced by visible ones, except
// newlines and tabs. Foreign text must not be able to disguise itself, least of all
// in a question. The page has the same rule in web/src/visible.ts.
//
// A joiner between two characters outside of ASCII is kept: scripts and emoji need
// it. A joiner at the end of a piece of a text is judged by its other neighbor.
func Text(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return isJoiner(r) || replacement(r) != r }) {
		return text
	}
	var b strings.Builder
	before := rune(utf8.MaxRune)
	for i, r := range text {
		if isJoiner(r) {
			after, size := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
			if joins(before) && (size == 0 || joins(after)) {
				b.WriteRune(r)
			} else {
				b.WriteRune(unicode.ReplacementChar)
			}
		} else {
			b.WriteRune(replacement(r))
		}
		before = r
	}
	return b.String()
}

// replacement returns the visible form of a character, or the character itself.
func replacement(r rune) rune {
	switch {
	case r == '\n', r == '\t':
		return r
	case r < ' ':
		return '\u2400' + r // its control picture
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), unicode.Is(invisible, r):
		return unicode.ReplacementChar
	}
	return r
}

func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// joins reports whether a joiner may be next to the character.
func joins(r rune) bool { return r >= utf8.RuneSelf && !isJoiner(r) }

// invisible are the characters without a glyph, apart from controls, directions and
// joiners: invisible spaces, separators of lines, fillers, annotations and tags.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00ad, 0x00ad, 1},
		{0x034f, 0x034f, 1},
		{0x115f, 0x1160, 1},
		{0x17b4, 0x17b5, 1},
		{0x180e, 0x180e, 1},
		{0x200b, 0x200b, 1},
		{0x2028, 0x2029, 1},
		{0x2060, 0x206f, 1},
		{0x3164, 0x3164, 1},
		{0xfeff, 0xfeff, 1},
		{0xffa0, 0xffa0, 1},
		{0xfff0, 0xfffb, 1},
	},
	R32:         []unicode.Range32{{0xe0000, 0xe007f, 1}},
	LatinOffset: 1,
}
