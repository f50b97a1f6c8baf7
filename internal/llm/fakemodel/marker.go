package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// marker is one bracket of a script, parsed but not applied yet.
type marker struct {
	name  string
	text  string   // the text after the name
	inner []marker // the script inside [then]
}

// words splits the text of a marker with simple arguments.
func (m marker) words() []string { return strings.Fields(m.text) }

// scanner finds markers in a text.
type scanner struct {
	text string
	pos  int
}

// scan returns the markers and the text between them. If nested, it ends at the
// bracket that closes the [then].
func (s *scanner) scan(nested bool) ([]marker, string, error) {
	var found []marker
	var rest strings.Builder
	depth := 0 // open brackets of plain text
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		switch {
		case c == '[':
			m, ok, err := s.marker()
			if err != nil {
				return nil, "", err
			}
			if ok {
				found = append(found, m)
				continue
			}
			depth++
		case c == ']' && depth > 0:
			depth--
		case c == ']' && nested:
			return found, rest.String(), nil
		}
		rest.WriteByte(c)
		s.pos++
	}
	if nested {
		return nil, "", errors.New("is not closed")
	}
	return found, rest.String(), nil
}

// marker reads the marker at the current position and advances past it. If the
// bracket there is plain text, it reports false and does not advance.
func (s *scanner) marker() (marker, bool, error) {
	rest := s.text[s.pos+1:]
	size := strings.IndexFunc(rest, func(r rune) bool { return r < 'a' || r > 'z' })
	if size <= 0 || (rest[size] != ' ' && rest[size] != ']') || action(rest[:size]) == nil {
		return marker{}, false, nil
	}
	m := marker{name: rest[:size]}
	s.pos += 1 + size
	if err := s.fill(&m); err != nil {
		return marker{}, false, fmt.Errorf("marker [%s]: %w", m.name, err)
	}
	s.pos++ // the closing bracket
	return m, true, nil
}

// fill reads up to the closing bracket.
func (s *scanner) fill(m *marker) error {
	start := s.pos
	var err error
	switch m.name {
	case "then":
		m.inner, _, err = s.scan(true)
	case "tool":
		err = s.skipCall()
	case "say":
		err = s.skipBalanced()
	default:
		err = s.skipTo("]")
	}
	if err != nil {
		return err
	}
	m.text = strings.TrimPrefix(s.text[start:s.pos], " ")
	return nil
}

func (s *scanner) skipTo(end string) error {
	i := strings.Index(s.text[s.pos:], end)
	if i < 0 {
		return errors.New("is not closed")
	}
	s.pos += i
	return nil
}

func (s *scanner) skipBalanced() error {
	depth := 0
	for ; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '[':
			depth++
		case ']':
			if depth == 0 {
				return nil
			}
			depth--
		}
	}
	return errors.New("is not closed")
}

// skipCall uses the JSON decoder to find the end of the arguments, because
// strings in them can contain brackets and braces.
func (s *scanner) skipCall() error {
	brace := strings.IndexAny(s.text[s.pos:], "{]")
	if brace < 0 {
		return errors.New("is not closed")
	}
	s.pos += brace
	if s.text[s.pos] == ']' {
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(s.text[s.pos:]))
	var args json.RawMessage
	if err := dec.Decode(&args); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	s.pos += int(dec.InputOffset())
	blanks := len(s.text[s.pos:]) - len(strings.TrimLeft(s.text[s.pos:], " \n\t"))
	s.pos += blanks
	if s.pos >= len(s.text) || s.text[s.pos] != ']' {
		return errors.New("takes only a name and one json object")
	}
	return nil
}

// maxCount prevents a typing error from producing gigabytes.
const maxCount = 1_000_000

func parseCount(word string) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 || n > maxCount {
		return 0, fmt.Errorf("%q is not a number from 0 to %d", word, maxCount)
	}
	return n, nil
}

func parsePace(word string) (time.Duration, error) {
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration such as 5ms", word)
	}
	return d, nil
}
