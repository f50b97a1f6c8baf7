package upgrade

import (
	"fmt"
	"strings"
)

// context is the number of unchanged lines around a change in a patch.
const context = 3

// Patch returns a change to a file as a git patch with one hunk. before is nil
// for a new file. Version 1 allows texts that are only a part of the file: the
// line numbers count from the beginning of the texts.
func Patch(path string, before *string, after string) string {
	name := quoted(path)
	var out strings.Builder
	fmt.Fprintf(&out, "diff --git %s %s\n", name, name)
	from := name
	old := []string{}
	if before == nil {
		out.WriteString("new file mode 100644\n")
		from = "/dev/null"
	} else {
		old = lines(*before)
	}
	added := lines(after)
	same := commonStart(old, added)
	if same == len(old) && same == len(added) {
		return out.String()
	}
	tail := commonEnd(old[same:], added[same:])
	first, last := max(same-context, 0), min(context, tail)
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, name)
	end := len(old) - tail
	fmt.Fprintf(&out, "@@ -%s +%s @@\n", span(first, end+last), span(first, len(added)-tail+last))
	write(&out, " ", old[first:same])
	write(&out, "-", old[same:end])
	write(&out, "+", added[same:len(added)-tail])
	write(&out, " ", old[end:end+last])
	return out.String()
}

// lines returns the lines of a text, each with its line break.
func lines(text string) []string {
	if text == "" {
		return []string{}
	}
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

func commonStart(a, b []string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func commonEnd(a, b []string) (n int) {
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// span returns lines first to last, counted from 0 and without last, as a patch
// has them.
func span(first, last int) string {
	if last == first { // no lines: the number is that of the line before
		return fmt.Sprintf("%d,0", first)
	}
	return fmt.Sprintf("%d,%d", first+1, last-first)
}

func write(out *strings.Builder, sign string, lines []string) {
	for _, line := range lines {
		out.WriteString(sign + line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// quoted returns a path as git quotes it: only if it has unusual characters.
func quoted(path string) string {
	var out strings.Builder
	unusual := false
	for _, b := range []byte(path) {
		switch {
		case b == '"' || b == '\\':
			out.WriteByte('\\')
			out.WriteByte(b)
		case b == '\t':
			out.WriteString(`\t`)
		case b == '\n':
			out.WriteString(`\n`)
		case b == '\r':
			out.WriteString(`\r`)
		case b < 0x20 || b >= 0x7f:
			fmt.Fprintf(&out, `\%03o`, b)
		default:
			out.WriteByte(b)
			continue
		}
		unusual = true
	}
	if !unusual {
		return path
	}
	return `"` + out.String() + `"`
}
