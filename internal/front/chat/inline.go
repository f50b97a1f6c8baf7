package chat

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// spans are the marks around words, the longer ones first, and their styles.
var spans = []struct{ mark, style string }{
	{"**", bold}, {"__", bold}, {"~~", struck}, {"*", italic}, {"_", italic},
}

// inline renders a paragraph, with its marks as styles. A mark that is not
// closed is shown literally.
func inline(text string) string {
	var out strings.Builder
	plainly := 0 // start of the text without marks
	flush := func(to int) { out.WriteString(words(text[plainly:to])) }
	for i := 0; i < len(text); {
		shown, size := marked(text, i)
		if size == 0 {
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
			continue
		}
		flush(i)
		out.WriteString(shown)
		i += size
		plainly = i
	}
	flush(len(text))
	return out.String()
}

// marked returns the rendered mark at a position of a text, and how many bytes
// of the text it covers; 0 if there is no mark.
func marked(text string, at int) (string, int) {
	rest := text[at:]
	switch rest[0] {
	case '\\':
		if len(rest) > 1 && strings.IndexByte("\\`*_{}[]()#+-.!~>|", rest[1]) >= 0 {
			return rest[1:2], 2
		}
	case '`':
		ticks := rest[:len(rest)-len(strings.TrimLeft(rest, "`"))]
		if end := strings.Index(rest[len(ticks):], ticks); end > 0 {
			return styled(cyan, harmless(strings.TrimSpace(rest[len(ticks):len(ticks)+end]))), 2*len(ticks) + end
		}
		return ticks, len(ticks)
	case '[':
		return link(rest)
	case '*', '_', '~':
		return span(text, at)
	}
	return "", 0
}

func span(text string, at int) (string, int) {
	for _, s := range spans {
		rest, begins := strings.CutPrefix(text[at:], s.mark)
		if !begins || rest == "" || unicode.IsSpace(first(rest)) {
			continue
		}
		if s.mark[0] == '_' && at > 0 && word(last(text[:at])) {
			continue // a name such as a_b_c
		}
		end := strings.Index(rest, s.mark)
		if end <= 0 || unicode.IsSpace(last(rest[:end])) {
			continue
		}
		if behind := rest[end+len(s.mark):]; s.mark[0] == '_' && behind != "" && word(first(behind)) {
			continue
		}
		return styled(s.style, unmarked(rest[:end])), end + 2*len(s.mark)
	}
	return "", 0
}

// link renders [text](address). Both are shown, so that the text cannot pretend
// to be the address, and no hyperlink is created.
func link(rest string) (string, int) {
	end := strings.Index(rest, "](")
	if end < 0 {
		return "", 0
	}
	to := strings.IndexByte(rest[end:], ')')
	if to < 0 || strings.ContainsAny(rest[end+2:end+to], " \n") {
		return "", 0
	}
	text, address := unmarked(rest[1:end]), harmless(rest[end+2:end+to])
	if text == address || text == "" {
		return styled(linked, address), end + to + 1
	}
	return text + " (" + styled(linked, address) + ")", end + to + 1
}

// unmarked returns the inside of a span without the marks nested in it.
func unmarked(text string) string {
	return words(strings.NewReplacer("**", "", "__", "", "`", "").Replace(text))
}

// words decodes character references and makes the result harmless.
func words(text string) string {
	return harmless(strings.ReplaceAll(html.UnescapeString(text), "\n", " "))
}

func first(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
func last(s string) rune  { r, _ := utf8.DecodeLastRuneInString(s); return r }
func word(r rune) bool    { return unicode.IsLetter(r) || unicode.IsDigit(r) }
