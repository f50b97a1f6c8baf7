package edit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// diagnose describes why the old text was not found: with the line of the file
// that differs first, or with the lines that are most similar. The text is
// preceded by skipped lines of the file.
func diagnose(text string, e Edit, skipped int) error {
	if before, after := lineEnds(text, e.Old, e.New); strings.TrimSpace(after) != "" && !strings.Contains(before, after) {
		if i := strings.Index(text, after); i >= 0 {
			return fmt.Errorf("the old text is not in the file, and the new text is already there, in line %d: the edit seems to be applied already", skipped+lineAt(text, i))
		}
	}
	lines, old := Lines(text), Lines(e.Old)
	first := firstText(old)
	if len(text) == 0 {
		return errors.New("the old text is not in the file: the file is empty")
	}
	if first < 0 || len(text) > MaxNormalized {
		return errors.New("the old text is not in the file; it must match exactly, including blanks")
	}
	if at, equal := longestRun(lines, old, first); equal > 0 && equal < len(old)-first {
		wrong := first + equal
		there := "(the file ends here)"
		if at+equal < len(lines) {
			there = visible(lines[at+equal])
		}
		return fmt.Errorf("the old text is not in the file. It equals the file from line %d on, up to line %d, which differs:\n  old:  %s\n  file: %s\nRead the file and send the text as it is there",
			skipped+at+1, skipped+at+1+equal, visible(old[wrong]), there)
	}
	if at := mostSimilar(lines, old[first]); at >= 0 {
		return fmt.Errorf("the old text is not in the file. These lines are similar to its first line:\n%sSend the text as it is in the file",
			numberedLines(lines, at, skipped))
	}
	return errors.New("the old text is not in the file; read the file and send the text as it is there, including blanks")
}

// longestRun returns the place where most lines in a row equal the old text from
// its line first on, and their number. Blanks around a line do not count.
func longestRun(lines, old []string, first int) (at, equal int) {
	for i := range lines {
		n := 0
		for first+n < len(old) && i+n < len(lines) && strings.TrimSpace(lines[i+n]) == strings.TrimSpace(old[first+n]) {
			n++
		}
		if n > equal {
			at, equal = i, n
		}
	}
	return at, equal
}

// mostSimilar returns the index of the line that shares most words with a line,
// if it shares at least half of them, or -1. The result is only shown.
func mostSimilar(lines []string, line string) int {
	words := map[string]bool{}
	for _, word := range wordsOf(line) {
		words[word] = true
	}
	best, at := 0.0, -1
	for i, other := range lines {
		shared := map[string]bool{}
		all := wordsOf(other)
		for _, word := range all {
			if words[word] {
				shared[word] = true
			}
		}
		score := 2 * float64(len(shared)) / float64(len(words)+len(all))
		if score > best {
			best, at = score, i
		}
	}
	if best < 0.5 {
		return -1
	}
	return at
}

func wordsOf(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0x80)
	})
}

const (
	mostVisible = 200 // characters of a line
	nearLines   = 2   // lines shown before and after the most similar one
)

// visible returns a line in quotes, so that tabs and blanks at its ends can be
// seen, and copied into the arguments of a call.
func visible(line string) string {
	line = bare(line)
	if runes := []rune(line); len(runes) > mostVisible {
		return strconv.Quote(string(runes[:mostVisible])) + "…"
	}
	return strconv.Quote(line)
}

func numberedLines(lines []string, at, skipped int) string {
	var out strings.Builder
	for i := max(at-nearLines, 0); i <= min(at+nearLines, len(lines)-1); i++ {
		fmt.Fprintf(&out, "  %d: %s\n", skipped+i+1, visible(lines[i]))
	}
	return out.String()
}

func lineAt(text string, at int) int { return strings.Count(text[:at], "\n") + 1 }
