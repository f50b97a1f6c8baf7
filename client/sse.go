package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// message is one message of an event stream, not decoded.
type message struct {
	id   string
	kind string // the event field, or ""
	data []byte
}

// messages reads an event stream in the format of the WHATWG: lines end with
// CR, LF or both, and a blank line ends a message. A message without a blank
// line at the end of the stream is ignored.
type messages struct {
	in     *bufio.Reader
	begun  bool
	skipLF bool // the last line ended with CR: an LF directly after it belongs to it
	id     string
	retry  time.Duration // the last value that the server requested, 0 for none
	most   int           // maximum size of a line, and of a message, in bytes
}

// mostLine is the maximum length of a line, and of a message, in bytes.
const mostLine = 64 << 20

var errTooLong = errors.New("the server sent a line that is too long")

func newMessages(in io.Reader, most int) *messages {
	return &messages{in: bufio.NewReaderSize(in, 64<<10), most: most}
}

// nextMessage returns the next message with data.
func (m *messages) nextMessage() (message, error) {
	var data []byte
	var kind string
	some := false
	for {
		line, err := m.line()
		if err != nil {
			return message{}, err
		}
		if len(line) == 0 {
			if some {
				return message{m.id, kind, data}, nil
			}
			kind = ""
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":")) // a comment has an empty name
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if some {
				data = append(data, '\n')
			}
			some = true
			if data = append(data, value...); len(data) > m.most {
				return message{}, errTooLong
			}
		case "event":
			kind = string(value)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				m.id = string(value)
			}
		case "retry":
			m.setRetry(string(value))
		}
	}
}

func (m *messages) setRetry(value string) {
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return
	}
	if ms, err := strconv.ParseInt(value, 10, 32); err == nil {
		m.retry = time.Duration(ms) * time.Millisecond
	}
}

// line returns the next line without its end. It never waits for the byte
// after a CR, which may come much later.
func (m *messages) line() ([]byte, error) {
	var line []byte
	for {
		if _, err := m.in.Peek(1); err != nil {
			return nil, err // a line without an end is ignored
		}
		piece, _ := m.in.Peek(m.in.Buffered())
		if m.skipLF {
			m.skipLF = false
			if piece[0] == '\n' {
				_, _ = m.in.Discard(1)
				continue
			}
		}
		end := lineEnd(piece)
		if end < 0 {
			line = append(line, piece...)
			_, _ = m.in.Discard(len(piece))
			if len(line) > m.most {
				return nil, errTooLong
			}
			continue
		}
		line = append(line, piece[:end]...)
		m.skipLF = piece[end] == '\r'
		_, _ = m.in.Discard(end + 1)
		if len(line) > m.most {
			return nil, errTooLong
		}
		if !m.begun {
			m.begun = true
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		return line, nil
	}
}

// lineEnd returns the position of the first CR or LF, or -1. Two searches for
// one byte each are fast for long lines, which are common here.
func lineEnd(piece []byte) int {
	end := bytes.IndexByte(piece, '\n')
	if end >= 0 {
		piece = piece[:end]
	}
	if cr := bytes.IndexByte(piece, '\r'); cr >= 0 {
		return cr
	}
	return end
}
