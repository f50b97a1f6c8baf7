package edit

import (
	"strings"
)

// indented matches whole lines that differ from the old text only in their
// indentation: by the same prefix in every line, or by tabs instead of spaces.
// The new text gets the indentation of the file.
func indented(text string, e Edit) ([]span, error) {
	lines, old := Lines(text), Lines(e.Old)
	first := firstText(old)
	if first < 0 {
		return nil, nil
	}
	want := strings.TrimSpace(old[first])
	var found []span
	start := 0
	for i := 0; i+len(old) <= len(lines); i++ {
		if strings.TrimSpace(lines[i+first]) == want {
			if s, ok := reindentAt(lines[i:i+len(old)], old, e.New, start, lineEndOf(text)); ok {
				found = append(found, s)
			}
		}
		start += len(lines[i])
	}
	return found, nil
}

// reindentAt returns the replacement of lines that begin at start, if they
// equal old up to the indentation.
func reindentAt(lines, old []string, after string, start int, lineEnd string) (span, bool) {
	for i, line := range lines {
		if strings.TrimSpace(line) != strings.TrimSpace(old[i]) {
			return span{}, false
		}
	}
	convert := conversion(lines, old)
	if convert == nil {
		return span{}, false
	}
	end := start
	for _, line := range lines {
		end += len(line)
	}
	if endOf(old[len(old)-1]) == "" {
		end -= len(endOf(lines[len(lines)-1]))
	}
	var out strings.Builder
	for _, line := range Lines(after) {
		blank, rest := splitIndent(bare(line))
		if rest != "" {
			var ok bool
			if blank, ok = convert(blank); !ok {
				return span{}, false
			}
		}
		out.WriteString(withEnd(blank+rest+endOf(line), lineEnd))
	}
	return span{start, end, out.String()}, true
}

// conversion returns the function that turns the indentation of every line of
// old into that of the file, or nil if no such function is known.
func conversion(lines, old []string) func(string) (string, bool) {
	var candidates []func(string) (string, bool)
	first := firstText(old)
	there, _ := splitIndent(lines[first])
	was, _ := splitIndent(old[first])
	if more, ok := strings.CutSuffix(there, was); ok {
		candidates = append(candidates, func(s string) (string, bool) { return more + s, true })
	}
	if less, ok := strings.CutSuffix(was, there); ok {
		candidates = append(candidates, func(s string) (string, bool) { return strings.CutPrefix(s, less) })
	}
	for _, width := range []int{4, 2, 8, 3, 1} {
		tab := strings.Repeat(" ", width)
		candidates = append(candidates,
			func(s string) (string, bool) { return strings.ReplaceAll(s, tab, "\t"), true },
			func(s string) (string, bool) { return strings.ReplaceAll(s, "\t", tab), true })
	}
	for _, convert := range candidates {
		if converts(convert, lines, old) {
			return convert
		}
	}
	return nil
}

func converts(convert func(string) (string, bool), lines, old []string) bool {
	for i := range old {
		was, rest := splitIndent(old[i])
		if strings.TrimSpace(rest) == "" {
			continue
		}
		there, _ := splitIndent(lines[i])
		if got, ok := convert(was); !ok || got != there {
			return false
		}
	}
	return true
}

// splitIndent splits a line into its indentation and the rest.
func splitIndent(line string) (blank, rest string) {
	rest = strings.TrimLeft(line, " \t")
	return line[:len(line)-len(rest)], rest
}

// firstText returns the index of the first line that is not blank, or -1.
func firstText(lines []string) int {
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			return i
		}
	}
	return -1
}
