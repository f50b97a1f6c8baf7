package gemini

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
)

// longest is how long a line, an event or a list may be, which bounds what a
// server can have us keep in memory. No model writes that much at once.
const longest = 16 << 20

// events are the data of a stream's server-sent events, each valid until the
// next. Only whole ones are seen: one that a broken connection cut in two is
// not, and at an orderly end nothing but its empty line may be missing. The
// error, if there is one, is the last.
func events(stream io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewScanner(stream)
		lines.Buffer(nil, longest)
		var event []byte
		for lines.Scan() {
			if len(lines.Bytes()) > 0 {
				event = join(event, data(lines.Bytes()))
				if len(event) > longest {
					yield(nil, fmt.Errorf("reading the model's answer: %w", bufio.ErrTooLong))
					return
				}
				continue
			}
			if len(event) > 0 && !yield(event, nil) {
				return
			}
			event = event[:0]
		}
		switch err := lines.Err(); {
		case err != nil:
			yield(nil, fmt.Errorf("reading the model's answer: %w", err))
		case json.Valid(event):
			yield(event, nil)
		}
	}
}

func join(event, data []byte) []byte {
	if len(event) > 0 && len(data) > 0 {
		event = append(event, '\n')
	}
	return append(event, data...)
}

// data is what a line adds to its event. Comments and the other fields add
// nothing; a line that is no field does, because some errors come as plain JSON
// between events.
func data(line []byte) []byte {
	field, value, _ := bytes.Cut(line, []byte(":"))
	switch string(field) {
	case "data":
		return bytes.TrimSpace(value)
	case "", "event", "id", "retry":
		return nil
	default:
		return bytes.TrimSpace(line)
	}
}
