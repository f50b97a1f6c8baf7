package edit

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// numbered matches a line that begins with its number, as read_file and other
// programs print it.
var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[ \t]*([0-9]+)(→|\t|: ?|\| ?)`) })

// cutNumbers removes the line numbers from a text, if every line has one and
// they are consecutive.
func cutNumbers(text string) (string, bool) {
	var out strings.Builder
	next := -1
	for _, line := range Lines(text) {
		m := numbered().FindStringSubmatch(line)
		if m == nil {
			return text, false
		}
		number, err := strconv.Atoi(m[1])
		if err != nil || next >= 0 && number != next {
			return text, false
		}
		next = number + 1
		out.WriteString(line[len(m[0]):])
	}
	return out.String(), next >= 0
}

// Lines splits text after each line end; empty text has no lines.
func Lines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// bare returns a line without its line end.
func bare(line string) string { return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r") }

// endOf returns the line end of a line.
func endOf(line string) string { return line[len(bare(line)):] }

// lineEndOf returns the line end that most lines of a text have.
func lineEndOf(text string) string {
	if crlf := strings.Count(text, "\r\n"); crlf > 0 && 2*crlf >= strings.Count(text, "\n") {
		return "\r\n"
	}
	return "\n"
}
