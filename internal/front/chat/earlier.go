package chat

import (
	"slices"
	"strings"
)

// earlier contains the prompts and commands that the user has entered in this
// project, and which of them the input shows.
type earlier struct {
	all   []string // the oldest first
	at    int      // index of the shown one; len(all) if the input is new text
	draft string   // the new text, while an earlier prompt is shown
	keep  bool     // the model returns Remember actions
}

func newEarlier(all []string, keep bool) earlier {
	return earlier{all: slices.Clone(all), at: len(all), keep: keep}
}

// addText adds a text. A text that begins with a space is not kept, as in many
// shells.
func (e *earlier) addText(text string) []Action {
	text, private := strings.TrimRight(text, " \n"), strings.HasPrefix(text, " ")
	if text != "" && !private && (len(e.all) == 0 || e.all[len(e.all)-1] != text) {
		e.all = append(e.all, text)
	}
	e.at, e.draft = len(e.all), ""
	if text == "" || private || !e.keep {
		return nil
	}
	return []Action{Remember{text}}
}

// move returns the text that is so many steps away from the shown one; false at
// the end of the list. current is the text of the input, which is kept as the
// draft.
func (e *earlier) move(by int, current string) (string, bool) {
	to := e.at + by
	if to < 0 || to > len(e.all) {
		return "", false
	}
	if e.at == len(e.all) {
		e.draft = current
	}
	e.at = to
	if to == len(e.all) {
		return e.draft, true
	}
	return e.all[to], true
}

// recallKey moves the cursor up or down in the input. At its first or last line
// it shows an earlier or a later prompt.
func (m *Model) recallKey(by int) {
	if m.input.moveLine(by) {
		return
	}
	if text, found := m.earlier.move(by, m.input.String()); found {
		m.input.set(text)
	}
}

// search is a search in the earlier prompts.
type search struct {
	words string
	at    int // index of the prompt that was found; -1 if none was
}

// searchKey handles a key while the search is open, and reports whether it
// handled the key. A key that it does not handle takes the prompt that was
// found, and then acts on the input.
func (m *Model) searchKey(key, text string) bool {
	s := m.search
	switch {
	case key == "ctrl+r":
		if older := m.find(s.words, s.at-1); older >= 0 {
			s.at = older
		}
	case key == "backspace":
		if words := []rune(s.words); len(words) > 0 {
			s.words = string(words[:len(words)-1])
			s.at = m.find(s.words, len(m.earlier.all)-1)
		}
	case text != "":
		s.words += text
		s.at = m.find(s.words, len(m.earlier.all)-1)
	default:
		if s.at >= 0 {
			m.input.set(m.earlier.all[s.at])
			m.earlier.at = s.at
		}
		m.search = nil
		return key == "enter" || key == "tab"
	}
	return true
}

// find returns the index of the newest prompt that contains the words, up to
// from; -1 if there is none.
func (m *Model) find(words string, from int) int {
	for i := from; i >= 0; i-- {
		if strings.Contains(strings.ToLower(m.earlier.all[i]), strings.ToLower(words)) {
			return i
		}
	}
	return -1
}

// searchLine shows the search above the input.
func (m *Model) searchLine() string {
	s := m.search
	words := styled(bold, "search: "+harmless(oneLine(s.words)))
	if s.at < 0 {
		return words + styled(dim, m.withStopKey(" · nothing found · esc closes"))
	}
	return words + styled(dim, m.withStopKey(" · enter takes it · ctrl+r finds earlier ones · esc closes"))
}

// found returns the prompt that the search shows, or "".
func (m *Model) found() string {
	if m.search.at < 0 {
		return ""
	}
	return m.earlier.all[m.search.at]
}
