package web

import (
	"bytes"
	"io"

	"github.com/bellcord/bellcord"
)

// Bounds of a JSON body's shape. Our largest body is a prompt with images, which
// has three keys for each of them. The validator keeps a record of every mistake,
// so that a body of many small values would cost a multiple of its size.
const (
	mostDepth  = 16
	mostKeys   = 100
	mostItems  = 1000
	mostValues = 5000
)

// mostPlain is how many bytes a body may have beside the data of its images: the
// text of a prompt, and some for the rest of it.
const mostPlain = bellcord.MaxPromptText + 256<<10

// shapeReader reads JSON and fails as soon as it has more keys, items, levels or
// text than any body of ours. It checks nothing else: the decoder does.
type shapeReader struct {
	from io.Reader

	inString, escaped bool
	hex               int    // digits of an escape that are still to come
	start             []byte // of the last string, as long as a key can be "data"
	data              bool   // the value that comes is an image's
	levels            []level
	values            int
	plain             int // bytes outside of images, an escape counted as one
}

// level is an object or an array that is not closed yet.
type level struct {
	object bool
	commas int
}

// Read implements io.Reader.
func (s *shapeReader) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if wrong := s.scan(p[:n]); wrong != nil {
		return 0, wrong
	}
	return n, err
}

func (s *shapeReader) scan(text []byte) error {
	for len(text) > 0 {
		if s.inString {
			text = s.skipString(text)
		} else {
			at := bytes.IndexAny(text, `"{}[],:`)
			if at < 0 {
				s.plain += len(text)
				break
			}
			s.plain += at + 1
			s.countMark(text[at])
			text = text[at+1:]
		}
		if err := s.checkBounds(); err != nil {
			return err
		}
	}
	return s.checkBounds()
}

// skipString reads on in the string that the text begins in, and returns what
// follows.
func (s *shapeReader) skipString(text []byte) []byte {
	switch {
	case s.hex > 0:
		n := min(s.hex, len(text))
		s.hex -= n
		return text[n:]
	case s.escaped:
		s.escaped = false
		if text[0] == 'u' {
			s.hex = 4
		}
		s.countString(text[:1])
		return text[1:]
	}
	at := bytes.IndexAny(text, `"\`)
	if at < 0 {
		s.countString(text)
		return nil
	}
	s.countString(text[:at])
	s.escaped, s.inString = text[at] == '\\', text[at] != '"'
	return text[at+1:]
}

// countString adds a piece of a string.
func (s *shapeReader) countString(piece []byte) {
	if !s.data {
		s.plain += len(piece)
	}
	if room := len("data") + 1 - len(s.start); room > 0 {
		s.start = append(s.start, piece[:min(room, len(piece))]...)
	}
}

// countMark counts one mark of the text's structure.
func (s *shapeReader) countMark(mark byte) {
	if mark == '"' {
		s.inString, s.start = true, s.start[:0]
		return
	}
	s.data = mark == ':' && string(s.start) == "data"
	switch mark {
	case '}', ']':
		if len(s.levels) > 0 {
			s.levels = s.levels[:len(s.levels)-1]
		}
		return
	case '{', '[':
		s.levels = append(s.levels, level{object: mark == '{'})
	case ',':
		if len(s.levels) > 0 {
			s.levels[len(s.levels)-1].commas++
		}
	}
	s.values++
}

func (s *shapeReader) checkBounds() error {
	var last level
	if len(s.levels) > 0 {
		last = s.levels[len(s.levels)-1]
	}
	switch {
	case len(s.levels) > mostDepth:
		return badInput("the request body is nested more than %d levels deep", mostDepth)
	case last.object && last.commas >= mostKeys:
		return badInput("an object in the request body has more than %d keys", mostKeys)
	case last.commas >= mostItems:
		return badInput("an array in the request body has more than %d items", mostItems)
	case s.plain > mostPlain:
		return bellcord.ErrPromptTooLong
	case s.values > mostValues:
		return badInput("the request body has more than %d values", mostValues)
	}
	return nil
}
