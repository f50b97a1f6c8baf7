package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// longestLine limits the size of one message. A model could not use more.
const longestLine = 16 << 20

// lines reads one message per line. A line that is too long is read to its end,
// but not kept.
type lines struct{ from *bufio.Reader }

func newLines(from io.Reader) lines { return lines{bufio.NewReaderSize(from, 64<<10)} }

// next returns the messages in the next line: none if the line is not a
// message, because some servers print to their standard output. A response that
// is too long is replaced by an error response, so that its call ends.
func (l lines) next() ([]jsonrpc.Message, error) {
	var line []byte
	var long *skimmed
	for {
		piece, err := l.from.ReadSlice('\n')
		switch {
		case long != nil:
			long.addPiece(piece)
		case len(line)+len(piece) > longestLine:
			long = &skimmed{}
			long.addPiece(line)
			long.addPiece(piece)
			line = nil
		default:
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(line) == 0:
			return nil, err
		case long != nil:
			return long.messages(), nil
		}
		return decode(line), nil // on an error this is the last, incomplete line; the next call returns the error
	}
}

func decode(line []byte) []jsonrpc.Message {
	line = bytes.TrimSpace(line)
	if len(line) > 0 && line[0] == '[' { // a batch, as in one version of the protocol
		return decodeBatch(line)
	}
	msg, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil
	}
	return []jsonrpc.Message{msg}
}

func decodeBatch(line []byte) []jsonrpc.Message {
	var batch []json.RawMessage
	if json.Unmarshal(line, &batch) != nil {
		return nil
	}
	var msgs []jsonrpc.Message
	for _, one := range batch {
		if msg, err := jsonrpc.DecodeMessage(one); err == nil {
			msgs = append(msgs, msg)
		}
	}
	return msgs
}

// skimmed finds the ID of a response without keeping the response: the number
// that is the value of "id" in the outermost object.
type skimmed struct {
	size             int
	depth            int
	quoted, escaped  bool
	key              []byte // the last string in the outermost object, up to 16 bytes
	here             bool   // the value of "id" follows
	id               []byte
	request, already bool
}

func (s *skimmed) addPiece(piece []byte) {
	s.size += len(piece)
	for len(piece) > 0 {
		if s.quoted {
			piece = s.inString(piece)
			continue
		}
		s.outside(piece[0])
		piece = piece[1:]
	}
}

// inString skips to the end of the string, or of the piece, and returns the
// rest. The long part of a long message is usually a string, so this must be
// fast.
func (s *skimmed) inString(piece []byte) []byte {
	if s.escaped {
		s.escaped = false
		return piece[1:]
	}
	end := bytes.IndexByte(piece, '"')
	if end < 0 {
		end = len(piece)
	}
	if at := bytes.IndexByte(piece[:end], '\\'); at >= 0 {
		s.escaped, end = true, at
	} else if end < len(piece) {
		s.quoted = false
	}
	if room := 16 - len(s.key); s.depth == 1 && room > 0 {
		s.key = append(s.key, piece[:min(room, end)]...)
	}
	return piece[min(end+1, len(piece)):]
}

func (s *skimmed) outside(c byte) {
	switch {
	case c == '"':
		s.quoted, s.key = true, s.key[:0]
	case c == '{' || c == '[':
		s.depth++
	case c == '}' || c == ']':
		s.depth--
	case s.depth != 1:
	case c == ':':
		s.here = string(s.key) == "id" && !s.already
		s.already = s.already || s.here
		s.request = s.request || string(s.key) == "method"
	case c == ',':
		s.here = false
	case s.here && len(s.id) < 20 && (c == '-' || c >= '0' && c <= '9'):
		s.id = append(s.id, c)
	}
}

func (s *skimmed) messages() []jsonrpc.Message {
	n, err := strconv.ParseInt(string(s.id), 10, 64)
	if err != nil || s.request {
		return nil
	}
	id, err := jsonrpc.MakeID(float64(n))
	if err != nil {
		return nil
	}
	return []jsonrpc.Message{&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{
		Code:    jsonrpc.CodeInternalError,
		Message: fmt.Sprintf("the response was omitted: it has %d bytes, and the limit is %d", s.size, longestLine),
	}}}
}
