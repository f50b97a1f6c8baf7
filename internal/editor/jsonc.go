package editor

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// member is an entry of an object in a text, with the position of its value.
type member struct {
	key        string
	start, end int
}

// object is an object in a text: the position after its opening brace, and its
// entries.
type object struct {
	inside  int
	members []member
}

func (o object) find(key string) (member, bool) {
	for _, m := range o.members {
		if m.key == key {
			return m, true
		}
	}
	return member{}, false
}

// reader parses JSON with comments and trailing commas. It only checks the
// syntax, and changes nothing.
type reader struct {
	text string
	at   int
}

var errCut = errors.New("unexpected end of file")

// space skips white space, comments and byte order marks.
func (r *reader) space() error {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			r.at += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				return errCut
			}
			r.at += end + 2
		case strings.HasPrefix(rest, "\ufeff"):
			r.at += len("\ufeff")
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			r.at++
		default:
			return nil
		}
	}
	return nil
}

// peekByte skips space and returns the next byte without consuming it.
func (r *reader) peekByte() (byte, error) {
	if err := r.space(); err != nil {
		return 0, err
	}
	if r.at == len(r.text) {
		return 0, errCut
	}
	return r.text[r.at], nil
}

func (r *reader) str() (string, error) {
	for end := r.at + 1; end < len(r.text); end++ {
		switch r.text[end] {
		case '\\':
			end++
		case '"':
			var s string
			err := json.Unmarshal([]byte(r.text[r.at:end+1]), &s)
			r.at = end + 1
			return s, err
		}
	}
	return "", errCut
}

// value skips a value of any type.
func (r *reader) value() error {
	c, err := r.peekByte()
	switch {
	case err != nil:
		return err
	case c == '"':
		_, err = r.str()
		return err
	case c == '{':
		_, err = r.object()
		return err
	case c == '[':
		r.at++
		return r.readEntries(']', r.value)
	}
	word := strings.IndexAny(r.text[r.at:], ",]} \t\r\n/")
	if word < 0 {
		word = len(r.text) - r.at
	}
	if word == 0 || !json.Valid([]byte(r.text[r.at:r.at+word])) {
		return fmt.Errorf("expected a value at byte %d", r.at)
	}
	r.at += word
	return nil
}

func (r *reader) object() (object, error) {
	if c, err := r.peekByte(); err != nil || c != '{' {
		return object{}, errors.Join(err, fmt.Errorf("expected an object at byte %d", r.at))
	}
	r.at++
	o := object{inside: r.at}
	return o, r.readEntries('}', func() error {
		if r.text[r.at] != '"' {
			return fmt.Errorf("expected a name in quotes at byte %d", r.at)
		}
		key, err := r.str()
		if err != nil {
			return err
		}
		if c, err := r.peekByte(); err != nil || c != ':' {
			return errors.Join(err, fmt.Errorf("expected a colon at byte %d", r.at))
		}
		r.at++
		if _, err := r.peekByte(); err != nil {
			return err
		}
		m := member{key: key, start: r.at}
		err = r.value()
		m.end = r.at
		o.members = append(o.members, m)
		return err
	})
}

// readEntries reads comma-separated entries up to the closing byte.
func (r *reader) readEntries(closing byte, entry func() error) error {
	for {
		c, err := r.peekByte()
		if err != nil {
			return err
		}
		if c == closing {
			r.at++
			return nil
		}
		if err := entry(); err != nil {
			return err
		}
		if c, err = r.peekByte(); err != nil {
			return err
		}
		switch c {
		case ',':
			r.at++
		case closing:
		default:
			return fmt.Errorf("expected a comma at byte %d", r.at)
		}
	}
}
