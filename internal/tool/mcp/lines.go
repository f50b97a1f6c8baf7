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

// longestLine bounds what one message may cost. A model could not use more.
const longestLine = 16 << 20

// lines reads one message per line. A line that is too long is read to its end
// and not kept.
type lines struct{ from *bufio.Reader }

func newLines(from io.Reader) lines { return lines{bufio.NewReaderSize(from, 64<<10)} }

// next returns the messages of the next line. A line that is none (servers do
// print to their standard output) has none. An answer that is too long is
// answered in its place with an error, so that its call ends.
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
		return decode(line), nil // after an error the rest of a line; the error comes again
	}
}

func decode(line []byte) []jsonrpc.Message {
	line = bytes.TrimSpace(line)
	if len(line) > 0 && line[0] == '[' { // a batch, as one version of the protocol had
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

// skimmed finds the id of an answer without keeping it: the number that is the
// value of "id" in the outermost object.
type skimmed struct {
	size             int
	depth            int
	quoted, escaped  bool
	key              []byte // the last string in the outermost object, or its start
	here             bool   // the value of "id" comes
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

// inString goes on to the end of the string, or of the piece, and returns what
// is behind it. The long part of a long message is a string: this one is fast.
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
