package web

import (
	"bytes"
	"io"

	"github.com/bellcord/bellcord"
)

// Limits on the shape of a JSON body. The largest valid body is a prompt with
// images, which has three keys per image. The validator records every error, so
// a body of many small values would cost a multiple of its size.
const (
	mostDepth  = 16
	mostKeys   = 100
	mostItems  = 1000
	mostValues = 5000
)

// mostPlain is the maximum size of a body without the data of its images: the
// text of a prompt, plus a margin.
const mostPlain = bellcord.MaxPromptText + 256<<10

// shapeReader reads JSON and fails as soon as it exceeds a limit on keys,
// items, levels or text. It checks nothing else; the decoder does that.
type shapeReader struct {
	from io.Reader

	inString, escaped bool
	hex               int    // remaining digits of an escape
	start             []byte // of the last string, long enough to recognize the key "data"
	data              bool   // the next value is the data of an image
	levels            []level
	values            int
	plain             int // bytes outside of image data; an escape counts as one
}

// level is an open object or array.
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

// skipString consumes the rest of a string at the start of text, or a part of
// it, and returns the remaining text.
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

// countString counts a piece of a string.
func (s *shapeReader) countString(piece []byte) {
	if !s.data {
		s.plain += len(piece)
	}
	if room := len("data") + 1 - len(s.start); room > 0 {
		s.start = append(s.start, piece[:min(room, len(piece))]...)
	}
}

// countMark counts one structural character.
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
