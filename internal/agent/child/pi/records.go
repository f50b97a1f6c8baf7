package pi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
)

// mostLine is the longest line that is looked at. Pi repeats whole messages,
// pictures included, in one line.
const mostLine = 256 << 20

// lines yields what comes, line by line. A line ends with LF and nothing else:
// other separators are text. A CR before it is cut off, as are empty lines; the
// last line needs no end. One that is longer than mostLine is left out. A line
// is valid until the next one is asked for.
func lines(from io.Reader) iter.Seq[[]byte] {
	return linesUpTo(from, mostLine)
}

func linesUpTo(from io.Reader, most int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		in := bufio.NewReaderSize(from, 64<<10)
		var line []byte
		long := false
		for {
			piece, err := in.ReadSlice('\n')
			if long = long || len(line)+len(bytes.TrimSuffix(piece, []byte("\n"))) > most; !long {
				line = append(line, piece...)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			record := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
			if !long && len(record) > 0 && !yield(record) || err != nil {
				return
			}
			line, long = line[:0], false
			if cap(line) > 1<<20 {
				line = nil // one long line is no reason to hold on to its room
			}
		}
	}
}

// decode reads a record. What is not an object with a type is none; fields that
// are unknown, or not what they used to be, are left out.
func decode(line []byte) (record, bool) {
	var r record
	err := json.Unmarshal(line, &r)
	var odd *json.UnmarshalTypeError
	if err != nil && !errors.As(err, &odd) || r.Type == "" {
		return record{}, false
	}
	switch r.Type {
	case "message_start", "message_end":
		var m message
		if err := json.Unmarshal(r.RawMessage, &m); err == nil || errors.As(err, &odd) {
			r.Message = m
		}
	case "extension_ui_request":
		_ = json.Unmarshal(r.RawMessage, &r.Words) // absent but in a confirmation
	}
	r.RawMessage = nil // the old form of message_update has all of the answer here, each time
	return r, true
}
