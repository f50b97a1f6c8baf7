package chat

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// stroke is a key's name and the text that it types.
type stroke struct{ key, text string }

// editsWithAlt are the keys that edit the input when they are pressed with Alt.
var editsWithAlt = map[string]bool{"b": true, "f": true, "d": true, "enter": true, "backspace": true, "left": true, "right": true}

// Distinct records that the terminal reports Esc and keys with Alt differently.
// Other terminals send Esc before a key for Alt, so an Esc that arrives
// together with the next key is reported as that key with Alt.
func (m *Model) Distinct() { m.distinct = true }

// separate returns the keys that a key with Alt stands for. While a turn runs,
// they are an Esc and another key that arrived together, so a stop is never
// lost. Alt still edits text in the input.
func (m *Model) separate(s stroke) []stroke {
	rest, alt := withoutAlt(s.key)
	switch {
	case !alt || m.distinct:
		return []stroke{s}
	case rest == "esc":
		return []stroke{{key: "esc"}, {key: "esc"}}
	case rest == "ctrl+c":
		return []stroke{{key: "ctrl+c"}}
	case m.target() == "" || editsWithAlt[rest] && !m.input.empty():
		return []stroke{s}
	}
	return []stroke{{key: "esc"}, {rest, written(rest)}}
}

// Unknown handles bytes that are not a recognized key. While a turn runs, an
// Esc in front of them stops it: it arrived together with text such as
// "Please".
func (m *Model) Unknown(bytes string, at time.Time) []Action {
	m.pass(at)
	text, escaped := strings.CutPrefix(bytes, "\x1b")
	if !escaped || m.distinct || m.target() == "" || text == "" || strings.ContainsAny(text[:1], "[]_^") {
		return nil // a reply of the terminal, or an unsupported key
	}
	actions := m.press("esc", "", m.rested())
	for _, r := range text {
		if unicode.IsPrint(r) {
			actions = append(actions, m.press(string(r), string(r), false)...)
		}
	}
	return actions
}

// withoutAlt removes Alt from a key's name.
func withoutAlt(key string) (string, bool) {
	if rest, alt := strings.CutPrefix(key, "alt+"); alt {
		return rest, true
	}
	if rest, alt := strings.CutPrefix(key, "ctrl+alt+"); alt {
		return "ctrl+" + rest, true
	}
	return key, false
}

// written returns the text that a key types, or "".
func written(key string) string {
	if key == "space" {
		return " "
	}
	letter, shifted := strings.CutPrefix(key, "shift+")
	r, size := utf8.DecodeRuneInString(letter)
	if size != len(letter) {
		return ""
	}
	if shifted {
		r = unicode.ToUpper(r)
	}
	return string(r)
}
