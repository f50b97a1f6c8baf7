package sessionsearch

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bellcord/bellcord/api"
)

// phrase is the words of a search. Their case does not matter.
type phrase struct {
	words   []string // in lower case
	pattern *regexp.Regexp
}

// mostWords limits the words of a phrase; further ones are ignored.
const mostWords = 10

func newPhrase(query string) phrase {
	all := strings.Fields(strings.ToLower(strings.ToValidUTF8(query, "")))
	all = all[:min(len(all), mostWords)]
	if len(all) == 0 {
		return phrase{}
	}
	quoted := make([]string, len(all))
	for i, word := range all {
		quoted[i] = regexp.QuoteMeta(word)
	}
	slices.SortFunc(quoted, func(a, b string) int { return len(b) - len(a) }) // the longest match is marked
	return phrase{all, regexp.MustCompile("(?i)" + strings.Join(quoted, "|"))}
}

func (p phrase) empty() bool { return len(p.words) == 0 }

// in reports whether a text contains all words.
func (p phrase) in(text string) bool {
	text = strings.ToLower(text)
	for _, word := range p.words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// Bytes of text before the first match and after it.
const (
	fragmentBefore = 60
	fragmentAfter  = 140
)

// mark returns the text around the first match in one line, with the matches as
// separate pieces.
func (p phrase) mark(text string) []api.Piece {
	first := p.pattern.FindStringIndex(text)
	if first == nil { // the match exists in lower case only, such as that of the Kelvin sign
		first = []int{0, 0}
	}
	from, to := max(0, first[0]-fragmentBefore), min(len(text), first[1]+fragmentAfter)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	fragment := strings.Join(strings.Fields(text[from:to]), " ")
	if from > 0 {
		fragment = "…" + fragment
	}
	if to < len(text) {
		fragment += "…"
	}
	return p.split(fragment)
}

func (p phrase) split(text string) []api.Piece {
	var pieces []api.Piece
	at := 0
	for _, match := range p.pattern.FindAllStringIndex(text, -1) {
		if match[0] > at {
			pieces = append(pieces, api.Piece{Text: text[at:match[0]]})
		}
		pieces = append(pieces, api.Piece{Text: text[match[0]:match[1]], Match: true})
		at = match[1]
	}
	if at < len(text) {
		pieces = append(pieces, api.Piece{Text: text[at:]})
	}
	return pieces
}
