package pi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
)

// mostLine is the maximum length of a line. Pi repeats whole messages,
// including pictures, in one line.
const mostLine = 256 << 20

// lines yields the lines of a stream. Only LF ends a line; other separators are
// text. A CR before the LF is removed, and empty lines are skipped. The last
// line needs no LF. Lines longer than mostLine are skipped. A line is valid
// until the next one is yielded.
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
				line = nil // do not keep the memory of one long line
			}
		}
	}
}

// decode parses a record. It returns false for anything but an object with a
// type. Unknown fields and fields with an unexpected type are ignored.
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
		_ = json.Unmarshal(r.RawMessage, &r.Words) // only present in a confirmation
	}
	r.RawMessage = nil // in the old form of message_update it contains the whole answer each time
	return r, true
}
