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

// message is one event of an event stream, before we know what it means.
type message struct {
	id   string
	kind string // the event field; "" where there is none
	data []byte
}

// messages reads an event stream as the WHATWG describes it: lines end with CR,
// LF or both, a blank line ends a message, what has no blank line behind it at
// the end of the stream is no message.
type messages struct {
	in     *bufio.Reader
	begun  bool
	skipLF bool // the last line ended with CR: an LF right behind it belongs to it
	id     string
	retry  time.Duration // what the server last asked for, 0 for nothing
	most   int           // bytes of a line, and of a message
}

// mostLine is the longest line, and the longest message, of a server's.
const mostLine = 64 << 20

var errTooLong = errors.New("the server sent a line that is too long")

func newMessages(in io.Reader, most int) *messages {
	return &messages{in: bufio.NewReaderSize(in, 64<<10), most: most}
}

// next returns the next message that has data.
func (m *messages) next() (message, error) {
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
		name, value, _ := bytes.Cut(line, []byte(":")) // a comment has no name
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

// line returns the next line without its end. It never waits for the byte behind
// a CR, which may be long in coming.
func (m *messages) line() ([]byte, error) {
	var line []byte
	for {
		if _, err := m.in.Peek(1); err != nil {
			return nil, err // a line that has no end is not one
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

// lineEnd finds the first CR or LF, -1 when there is none. Long lines are the
// rule here, so it looks for one byte at a time, which is fast.
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
