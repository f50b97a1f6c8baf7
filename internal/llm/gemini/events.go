package gemini

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
)

// longest is the maximum size of a line, an event or a list of models. It
// bounds the memory that a server can make the client use. No model writes that
// much at once.
const longest = 16 << 20

// events returns the data of a stream's server-sent events. Each slice is valid
// until the next iteration. Only complete events are returned: one that was cut
// by a broken connection is dropped, and at a proper end of the stream only the
// final empty line may be missing. An error, if any, comes last.
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

// data returns what a line adds to its event. Comments and other fields add
// nothing. A line that is not a field is returned whole, because some errors
// arrive as plain JSON between events.
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
