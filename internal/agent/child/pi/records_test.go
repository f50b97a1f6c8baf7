package pi

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func collect(text string, most int) (all []string) {
	for line := range linesUpTo(iotest.OneByteReader(strings.NewReader(text)), most) {
		all = append(all, string(line))
	}
	return all
}

func TestLines_Separators_OnlyLFEndsALine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200<<10)
	tests := []struct {
		name, text string
		want       []string
	}{
		{"two lines", "a\nb\n", []string{"a", "b"}},
		{"a CR before the LF is cut off, one that is not stays", "a\r\nb\rc\n", []string{"a", "b\rc"}},
		{"separators of Unicode are text", "a\u2028b\u2029c\u0085d\n", []string{"a\u2028b\u2029c\u0085d"}},
		{"the last line needs no end", "a\nb", []string{"a", "b"}},
		{"empty lines are none", "\n\r\n\na\n\n", []string{"a"}},
		{"a line may be longer than any buffer", long + "\nb\n", []string{long, "b"}},
		{"one that is too long is left out, the next is not", long + long + "\nb\n", []string{"b"}},
		{"one that is too long and has no end is left out", "a\n" + long + long, []string{"a"}},
	}
	for _, test := range tests {
		if got := collect(test.text, 300<<10); !slices.Equal(got, test.want) {
			t.Errorf("%s: %.80q", test.name, got)
		}
	}
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte("{\"type\":\"agent_start\"}\n{\"type\":\"response\",\"id\":\"1\",\"success\":true}\r\nrest"))
	f.Add([]byte("{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\",\"content\":\"x\"}}\n"))
	f.Add([]byte("{\"type\":\"message_end\",\"message\":[1],\"usage\":\"\"}\n\n\n{\"type\":7}\n\xff\xfe\n"))
	f.Add([]byte("{\"type\":\"extension_ui_request\",\"method\":\"confirm\",\"message\":\"a\u2028b\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var joined []byte
		for line := range linesUpTo(bytes.NewReader(data), 1<<10) {
			if bytes.ContainsRune(line, '\n') || len(line) == 0 || len(line) > 1<<10 {
				t.Errorf("%q is no line", line)
			}
			joined = append(append(joined, line...), '\n')
			r, ok := decode(line)
			if ok && (r.Type == "" || !json.Valid(line)) {
				t.Errorf("%q is no record", line)
			}
			_, _ = r.isDialog(), r.Message.Content.plainText()
		}
		var again []byte
		for line := range linesUpTo(bytes.NewReader(joined), 1<<10) {
			again = append(append(again, line...), '\n')
		}
		if !bytes.ContainsRune(joined, '\r') && !bytes.Equal(joined, again) {
			t.Errorf("%q is not read as it was: %q", joined, again)
		}
	})
}

func TestGrown_RepeatedOutput_ReturnsNewPart(t *testing.T) {
	t.Parallel()
	window := strings.Repeat("0123456789", 60)
	tests := []struct{ name, had, has, want string }{
		{"more of the same", "one\n", "one\ntwo\n", "two\n"},
		{"nothing new", "one\n", "one\n", ""},
		{"the beginning was cut off", "a" + window, window[5:] + "new", "new"},
		{"something else", "10%", "20%", "\n20%"},
		{"nothing left", "gone", "", ""},
	}
	for _, test := range tests {
		if got := grown(test.had, test.has); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
