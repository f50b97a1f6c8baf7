// Package clip shortens a long text to its head and tail.
package clip

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text keeps the first Head and the last Tail bytes of the text added to it.
type Text struct {
	Head, Tail int

	first []byte
	last  []byte
	total int64
}

// Add appends a piece of the text.
func (t *Text) Add(piece string) {
	t.total += int64(len(piece))
	if room := min(t.Head-len(t.first), len(piece)); room > 0 {
		t.first = append(t.first, piece[:room]...)
		piece = piece[room:]
	}
	if over := len(piece) - t.Tail; over > 0 {
		t.last, piece = t.last[:0], piece[over:]
	}
	t.last = append(t.last, piece...)
	if over := len(t.last) - t.Tail; over > t.Tail { // rare, so that copying costs little
		t.last = append(t.last[:0], t.last[over:]...)
	}
}

// Len returns the number of bytes added.
func (t *Text) Len() int64 { return t.total }

// Omitted returns the number of bytes between the head and the tail.
func (t *Text) Omitted() int64 { return t.total - int64(len(t.first)+len(t.end())) }

// String returns the whole text, or its head and tail with the number of
// omitted bytes between them. Invalid UTF-8 is replaced.
func (t *Text) String() string {
	text := string(t.first) + string(t.end())
	if n := t.Omitted(); n > 0 {
		text = fmt.Sprintf("%s\n[… %d bytes omitted …]\n%s", t.first, n, t.end())
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

func (t *Text) end() []byte { return t.last[max(0, len(t.last)-t.Tail):] }

// mostTitle is the maximum length of a title made from a prompt, in characters.
const mostTitle = 60

// FirstWords returns the default title of a session: the first line of its
// first prompt, shortened to 60 characters.
func FirstWords(prompt string) string {
	title, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	if utf8.RuneCountInString(title) > mostTitle {
		title = string([]rune(title)[:mostTitle-1]) + "…"
	}
	return title
}
