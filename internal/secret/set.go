package secret

import (
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Hidden replaces a secret in a text.
const Hidden = "[secret]"

// Minimum lengths of what is replaced. A secret shorter than least is a
// placeholder such as "x", which would match in every text.
const (
	least = 4 // of a whole secret
	run   = 8 // of a piece of one
)

// Set is a set of secrets to be replaced in text. Its methods are safe for
// concurrent use. A nil set is empty; only Add requires a non-nil set.
type Set struct {
	mu     sync.RWMutex
	values []string         // longest first
	pieces map[string][]int // indexes in values of the secrets that contain a piece of run bytes
}

// Add adds secrets, each also in its URL-encoded and quoted forms.
func (k *Set) Add(values ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, value := range values {
		quoted := strconv.Quote(value)
		for _, form := range []string{value, url.QueryEscape(value), url.PathEscape(value), url.UserPassword("", value).String()[1:], quoted[1 : len(quoted)-1]} {
			if len(form) >= least && !slices.Contains(k.values, form) {
				k.values = append(k.values, form)
			}
		}
	}
	slices.SortStableFunc(k.values, func(a, b string) int { return len(b) - len(a) })
	k.pieces = map[string][]int{}
	for i, value := range k.values {
		for at := 0; at+run <= len(value); at++ {
			piece := value[at : at+run]
			if of := k.pieces[piece]; len(of) == 0 || of[len(of)-1] != i {
				k.pieces[piece] = append(of, i)
			}
		}
	}
}

// in reports whether the text equals a secret, or contains one that is too long
// to match by chance: a password such as "postgres" is part of a usual PATH.
func (k *Set) in(text string) bool {
	if k == nil {
		return false
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	return slices.ContainsFunc(k.values, func(value string) bool {
		return text == value || len(value) >= 2*run && strings.Contains(text, value)
	})
}

// Hide returns the text with all secrets replaced by Hidden. It also replaces
// every piece of a secret of at least 8 bytes, and secrets masked by servers,
// as in "sk-ab****yz". A secret of less than 8 bytes is replaced only as a
// separate word.
func (k *Set) Hide(text string) string {
	if k == nil {
		return text
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	if len(k.values) == 0 {
		return text
	}
	var out strings.Builder
	written := 0 // text[:written] has been written
	for at := 0; at < len(text); {
		from, to := k.at(text, written, at)
		if to == 0 {
			at++
			continue
		}
		out.WriteString(text[written:from])
		out.WriteString(Hidden)
		written, at = to, to
	}
	out.WriteString(text[written:])
	return out.String()
}

// at returns the range to replace that is found at offset at; to is 0 if
// nothing is found. from may be less than at, but not less than done.
func (k *Set) at(text string, done, at int) (from, to int) {
	if to := k.piece(text, at); to > 0 {
		end, masked := mask(text, to)
		if masked { // "sk-abcdefgh****wxyz": include the tail after the mask
			return at, end + k.tail(text[end:])
		}
		return at, to
	}
	if to := k.word(text, at); to > 0 {
		return at, to
	}
	if _, inside := mask(text[:at], max(0, at-len("…"))); inside {
		return 0, 0 // this mask was already examined from its start
	}
	end, masked := mask(text, at)
	if !masked {
		return 0, 0
	}
	before, after := k.head(text[done:at]), k.tail(text[end:])
	if before >= least || after >= least || before >= 2 && after >= 2 {
		return at - before, end + after
	}
	return 0, 0
}

// piece returns the end of the longest piece of a secret that starts at offset
// at, or 0.
func (k *Set) piece(text string, at int) (to int) {
	if at+run > len(text) {
		return 0
	}
	for _, i := range k.pieces[text[at:at+run]] {
		value := k.values[i]
		for from := 0; ; from++ {
			found := strings.Index(value[from:], text[at:at+run])
			if found < 0 {
				break
			}
			from += found
			to = max(to, at+common(value[from:], text[at:]))
		}
	}
	return to
}

func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// word returns the end of a short secret that is a separate word at offset at,
// or 0.
func (k *Set) word(text string, at int) (to int) {
	for _, value := range k.values {
		if len(value) >= run || !strings.HasPrefix(text[at:], value) {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(value):])
		if !inWord(before) && !inWord(after) {
			return at + len(value)
		}
	}
	return 0
}

func inWord(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '_' || r >= utf8.RuneSelf && r != utf8.RuneError
}

// mask returns the end of the run of mask characters at offset at. is reports
// whether the run is a mask: it contains two asterisks, three dots, an ellipsis
// or a bullet.
func mask(text string, at int) (end int, is bool) {
	for end = at; end < len(text); {
		switch {
		case text[end] == '*' || text[end] == '.':
			end++
		case strings.HasPrefix(text[end:], "…"):
			end += len("…")
		case strings.HasPrefix(text[end:], "•"):
			end += len("•")
		default:
			return end, masks(text[at:end])
		}
	}
	return end, masks(text[at:end])
}

func masks(text string) bool {
	return strings.Contains(text, "**") || strings.Contains(text, "...") || strings.ContainsAny(text, "…•")
}

// head returns the length of the longest suffix of the text that is a prefix of
// a secret.
func (k *Set) head(text string) (longest int) {
	for _, value := range k.values {
		for n := min(len(value), len(text)); len(value) >= run && n > longest; n-- {
			if strings.HasSuffix(text, value[:n]) {
				longest = n
			}
		}
	}
	return longest
}

// tail returns the length of the longest prefix of the text that is a suffix of
// a secret.
func (k *Set) tail(text string) (longest int) {
	for _, value := range k.values {
		for n := min(len(value), len(text)); len(value) >= run && n > longest; n-- {
			if strings.HasPrefix(text, value[len(value)-n:]) {
				longest = n
			}
		}
	}
	return longest
}

// Error wraps err so that its text contains no secrets. It returns nil for nil.
func (k *Set) Error(err error) error {
	if err == nil {
		return nil
	}
	return &hiding{k, err}
}

type hiding struct {
	secrets *Set
	err     error
}

func (h *hiding) Error() string { return h.secrets.Hide(h.err.Error()) }
func (h *hiding) Unwrap() error { return h.err }

// Writer returns a writer that hides the secrets in each Write. A secret that
// is split between two writes is not hidden, so callers must write whole lines,
// as log handlers do.
func (k *Set) Writer(to io.Writer) io.Writer { return &writer{k, to} }

type writer struct {
	secrets *Set
	to      io.Writer
}

func (w *writer) Write(line []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.secrets.Hide(string(line))); err != nil {
		return 0, err
	}
	return len(line), nil
}
