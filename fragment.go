package bellcord

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"
)

// Fragments of text are most of the events of a session. decodeText and
// decodeThinking decode them in the form in which they are written, several times
// faster than package json; JSON in another form is passed to package json. The
// results are the same.

func decodeText(data []byte) (Body, error) {
	if text, message, ok := plainFragment(data); ok {
		return TextDelta{Text: text, Message: message}, nil
	}
	var b TextDelta
	err := json.Unmarshal(data, &b)
	return b, err
}

func decodeThinking(data []byte) (Body, error) {
	if text, message, ok := plainFragment(data); ok {
		return ThinkingDelta{Text: text, Message: message}, nil
	}
	var b ThinkingDelta
	err := json.Unmarshal(data, &b)
	return b, err
}

// plainFragment decodes {"text":"…"} and {"text":"…","message":"…"} without
// spaces. ok is false for every other JSON.
func plainFragment(data []byte) (text, message string, ok bool) {
	rest, ok := bytes.CutPrefix(data, []byte(`{"text":"`))
	if !ok {
		return "", "", false
	}
	if text, rest, ok = plainString(rest); !ok {
		return "", "", false
	}
	if named, has := bytes.CutPrefix(rest, []byte(`,"message":"`)); has {
		if message, rest, ok = plainString(named); !ok {
			return "", "", false
		}
	}
	return text, message, string(rest) == "}"
}

// plainString decodes a JSON string after its opening quote, and returns what
// follows the closing one. ok is false if the string is invalid or has an escape
// that plainEscape does not decode.
func plainString(data []byte) (text string, rest []byte, ok bool) {
	end := bytes.IndexByte(data, '"')
	if end < 0 {
		return "", nil, false
	}
	if bytes.IndexByte(data[:end], '\\') < 0 {
		return string(data[:end]), data[end+1:], plain(data[:end])
	}
	decoded := make([]byte, 0, len(data))
	for {
		end := bytes.IndexAny(data, `"\`)
		if end < 0 || !plain(data[:end]) {
			return "", nil, false
		}
		decoded = append(decoded, data[:end]...)
		if data[end] == '"' {
			return string(decoded), data[end+1:], true
		}
		b, size := plainEscape(data[end:])
		if size == 0 {
			return "", nil, false
		}
		decoded, data = append(decoded, b), data[end+size:]
	}
}

// plain reports whether a text is valid in a JSON string without escapes.
func plain(text []byte) bool {
	for _, b := range text {
		if b < ' ' {
			return false
		}
	}
	return utf8.Valid(text)
}

// plainEscape decodes the escape at the start of data, and returns its size. The
// size is 0 if it is not the escape of an ASCII character that package json
// writes.
func plainEscape(data []byte) (b byte, size int) {
	if len(data) < 2 {
		return 0, 0
	}
	switch data[1] {
	case '"', '\\':
		return data[1], 2
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'u':
		var code [1]byte
		if len(data) < 6 || data[2] != '0' || data[3] != '0' {
			return 0, 0
		}
		if _, err := hex.Decode(code[:], data[4:6]); err != nil || code[0] >= utf8.RuneSelf {
			return 0, 0
		}
		return code[0], 6
	}
	return 0, 0
}
