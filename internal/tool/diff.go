package tool

import (
	"fmt"
	"strings"
)

const (
	maxQuestionLines = 40  // lines of each side in a question
	mostChange       = 12  // lines of each side in a result
	mostHunks        = 3   // changed places in a result
	mostWide         = 200 // characters per line in both
	around           = 2   // lines of context
)

// changed describes an edit: the file, and the first places in the style of a
// unified diff.
func changed(path, text, before, after string, places []int, count int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "edited %s (%d %s)\n", shown(path), count, plural(count, "place"))
	for _, at := range places {
		out.WriteString(hunk(text, at, before, after))
	}
	if more := count - len(places); more > 0 {
		fmt.Fprintf(&out, "[and %d more]\n", more)
	}
	return out.String()
}

// hunk returns the diff of one place, in whole lines.
func hunk(text string, at int, before, after string) string {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	end := at + len(before)
	whole := strings.HasSuffix(before, "\n") && (strings.HasSuffix(after, "\n") || after == "" && at == start)
	if !whole {
		end += lineEnd(text[end:])
	}
	removed := splitLines(text[start:end])
	added := splitLines(text[start:at] + after + text[at+len(before):end])
	// Lines that are equal on both sides are context.
	same := 0
	for same < min(len(removed), len(added)) && removed[same] == added[same] {
		start += len(removed[same])
		same++
	}
	removed, added = removed[same:], added[same:]
	for len(removed) > 0 && len(added) > 0 && removed[len(removed)-1] == added[len(added)-1] {
		end -= len(removed[len(removed)-1])
		removed, added = removed[:len(removed)-1], added[:len(added)-1]
	}
	first := start // start of the context
	for range around {
		if first > 0 {
			first = strings.LastIndexByte(text[:first-1], '\n') + 1
		}
	}
	last := end
	for range around {
		last += lineEnd(text[last:])
	}
	return fmt.Sprintf("@@ line %d @@\n", lineOf(text, start)) +
		diffLines(" ", text[first:start], around) +
		diffLines("-", strings.Join(removed, ""), mostChange) +
		diffLines("+", strings.Join(added, ""), mostChange) +
		diffLines(" ", text[end:last], around)
}

// diffLines returns the lines with sign before each, limited to most lines and
// followed by the number of omitted ones.
func diffLines(sign, text string, most int) string {
	var out strings.Builder
	lines := splitLines(text)
	for i, line := range lines {
		if i == most && len(lines) > most+1 {
			fmt.Fprintf(&out, "%s[%d more lines]\n", sign, len(lines)-i)
			break
		}
		out.WriteString(sign + plain(cutLine(strings.TrimRight(line, "\r\n"), mostWide)) + "\n")
	}
	return out.String()
}

// splitLines splits text after each line ending; empty text has no lines.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// lineEnd returns the length of the first line, including its line ending.
func lineEnd(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}

func lineOf(text string, at int) int { return strings.Count(text[:at], "\n") + 1 }

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
