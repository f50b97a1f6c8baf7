package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// patchNormalizations are the differences that context and removed lines of a
// patch may have from the file.
var patchNormalizations = []struct {
	note string
	find func(text string, e Edit) ([]span, error)
}{
	{"", func(text string, e Edit) ([]span, error) { return exactSpans(text, e.Old, e.New), nil }},
	{"ignoring blanks at the ends of lines", inView(blanksAtEnds)},
	{"adjusting the indentation of the patch to the file", indented},
	{"treating typographic quotes, dashes and spaces as plain ones", inView(typography)},
}

// Apply applies the chunks of an update to the text of the file, in order. Every
// chunk must have exactly one place after the chunk before it.
func (f FilePatch) Apply(text string, most int) (Applied, error) {
	lineEnd := lineEndOf(text)
	rest, open := text, text != "" && !strings.HasSuffix(text, "\n")
	if open {
		rest += lineEnd
	}
	var out strings.Builder
	var notes []string
	skipped := 0 // lines of the file before rest
	for i, c := range f.chunks {
		found, note, err := c.locate(rest, lineEnd, skipped)
		if err != nil {
			return Applied{}, fmt.Errorf("chunk %d of %d (line %d of the patch): %w", i+1, len(f.chunks), c.line, err)
		}
		if note != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
		out.WriteString(rest[:found.start] + found.new)
		skipped += strings.Count(rest[:found.end], "\n")
		rest = rest[found.end:]
	}
	out.WriteString(rest)
	edited := out.String()
	if open {
		edited = strings.TrimSuffix(edited, lineEnd)
	}
	if len(edited) > most {
		return Applied{}, fmt.Errorf("the file would be larger than %d bytes", most)
	}
	return Applied{Text: edited, Places: len(f.chunks), Note: strings.Join(notes, "; ")}, nil
}

// locate returns the place of a chunk in the rest of the file.
func (c chunk) locate(rest, lineEnd string, skipped int) (span, string, error) {
	if len(c.old) == 0 {
		if len(c.anchors) > 0 {
			return span{}, "", errors.New("a chunk with @@ TEXT and only added lines has no clear place; add the line before them as context")
		}
		return span{len(rest), len(rest), joined(c.new, lineEnd)}, "", nil
	}
	from, end, err := c.anchored(rest)
	if err != nil {
		return span{}, "", err
	}
	for _, old := range c.variants() {
		e := Edit{Old: joined(old.old, "\n"), New: joined(old.new, "\n")}
		for _, n := range patchNormalizations {
			found, err := n.find(rest, e)
			if err != nil {
				return span{}, "", err
			}
			found = c.eligible(found, rest, from)
			if inside := before(found, end); len(c.anchors) > 0 && len(inside) > 0 {
				found = inside
			}
			switch {
			case len(found) == 1:
				return found[0], n.note, nil
			case len(found) > 1:
				return span{}, "", fmt.Errorf("it has %d places, in %s; add more context lines, or a line @@ TEXT with a unique line before the place",
					len(found), linesOf(rest, found, skipped))
			}
		}
	}
	err = diagnose(rest, Edit{Old: joined(c.old, "\n"), New: joined(c.new, "\n")}, skipped)
	if skipped > 0 {
		err = fmt.Errorf("in the part of the file after the chunk before it: %w", err)
	}
	return span{}, "", err
}

// variants returns the lines of a chunk, and if they end with an empty line, the
// lines without it: models add one before the next header.
func (c chunk) variants() []chunk {
	all := []chunk{c}
	if n, m := len(c.old), len(c.new); n > 1 && m > 0 && c.old[n-1] == "" && c.new[m-1] == "" {
		all = append(all, chunk{old: c.old[:n-1], new: c.new[:m-1]})
	}
	return all
}

// eligible returns the spans of whole lines that begin at or after from, and for
// a chunk at the end of the file those that end there.
func (c chunk) eligible(spans []span, rest string, from int) []span {
	var out []span
	for _, s := range spans {
		whole := (s.start == 0 || rest[s.start-1] == '\n') && (s.end == len(rest) || rest[s.end-1] == '\n')
		if whole && s.start >= from && (!c.atEnd || s.end == len(rest)) {
			out = append(out, s)
		}
	}
	return out
}

func before(spans []span, end int) []span {
	return slices.DeleteFunc(slices.Clone(spans), func(s span) bool { return s.end > end })
}

// anchored returns where the text after a chunk's anchors begins, and where the
// block of the last anchor ends: before the next line that is not indented more.
func (c chunk) anchored(rest string) (from, end int, err error) {
	end = len(rest)
	for _, anchor := range c.anchors {
		places := anchorLines(rest[from:], anchor)
		switch {
		case len(places) == 0:
			return 0, 0, fmt.Errorf("the line %q of @@ is not in the file after the place of the chunk before it", anchor)
		case len(places) > 1:
			return 0, 0, fmt.Errorf("the line %q of @@ is in the file %d times; choose a unique line", anchor, len(places))
		}
		at := from + places[0]
		line := Lines(rest[at:])[0]
		from = at + len(line)
		end = from + blockEnd(rest[from:], line)
	}
	return from, end, nil
}

// anchorLines returns where lines begin that equal an anchor. If no line equals
// it exactly, blanks around the lines are ignored.
func anchorLines(rest, anchor string) []int {
	var exact, trimmed []int
	at := 0
	for _, line := range Lines(rest) {
		switch {
		case bare(line) == anchor:
			exact = append(exact, at)
		case strings.TrimSpace(line) == strings.TrimSpace(anchor):
			trimmed = append(trimmed, at)
		}
		at += len(line)
	}
	if len(exact) > 0 {
		return exact
	}
	return trimmed
}

// blockEnd returns the length of the lines that are indented more than a line.
func blockEnd(rest, line string) int {
	indent, _ := splitIndent(line)
	at := 0
	for _, next := range Lines(rest) {
		blank, text := splitIndent(bare(next))
		if text != "" && strings.TrimSpace(text) != "{" && len(blank) <= len(indent) {
			return at
		}
		at += len(next)
	}
	return at
}

// joined returns lines as text.
func joined(lines []string, lineEnd string) string {
	var out strings.Builder
	for _, line := range lines {
		out.WriteString(line + lineEnd)
	}
	return out.String()
}
