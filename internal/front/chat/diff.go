package chat

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool/edit"
)

// diffRow is one line of a diff. The sign distinguishes added, removed and
// unchanged lines, so that colour is never the only difference.
type diffRow struct {
	number int    // of the line in its file; 0 if it is unknown
	sign   string // "+", "−" or " "
	spans  []edit.Span
	note   string
}

// diff returns the changes of files as lines: for each file its path and the
// changed lines with their numbers. The path of a single file is left out if
// title shows it.
func diff(changes []bellcord.Change, dir, title string, width int) []string {
	var lines []string
	several := slices.ContainsFunc(changes, func(c bellcord.Change) bool { return c.Path != changes[0].Path })
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].Path == changes[0].Path {
			n++
		}
		if path := shortPath(dir, changes[0].Path); several || !strings.Contains(title, path) {
			lines = append(lines, indented("  ", "  ", styled(bold, harmless(path))+styled(dim, " · "+changeCount(changes[:n])), width)...)
		}
		lines = append(lines, fileDiff(changes[:n], width)...)
		changes = changes[n:]
	}
	return lines
}

// fileDiff returns the changed lines of one file.
func fileDiff(changes []bellcord.Change, width int) []string {
	var rows [][]diffRow
	moved, digits := 0, 0 // moved is how many lines the changes so far have added
	for _, c := range changes {
		part := diffRows(c, moved)
		rows = append(rows, part)
		moved += len(edit.Lines(c.New))
		if c.Old != nil {
			moved -= len(edit.Lines(*c.Old))
		}
		for _, r := range part {
			if r.number > 0 {
				digits = max(digits, len(strconv.Itoa(r.number)))
			}
		}
	}
	var lines []string
	for i, part := range rows {
		if i > 0 {
			lines = append(lines, styled(dim, "  "+strings.Repeat(" ", max(0, digits-1))+"⋮"))
		}
		for _, r := range part {
			lines = append(lines, r.lines(digits, width)...)
		}
	}
	return lines
}

// diffRows returns the lines of a change. The earlier changes of the file have
// added moved lines.
func diffRows(c bellcord.Change, moved int) []diffRow {
	before, line := "", c.Line
	if c.Old != nil {
		before = *c.Old
	} else if line == 0 {
		line = 1 // a new file
	}
	old, at := edit.Lines(before), 0
	var rows []diffRow
	add := func(sign, text string, number int) *diffRow {
		if line == 0 {
			number = 0
		}
		bare := strings.TrimRight(text, "\r\n")
		r := diffRow{number: number, sign: sign, spans: []edit.Span{{Text: bare}}}
		if bare == text && sign != " " && c.Line > 0 {
			r.note = " (no line end)"
		}
		rows = append(rows, r)
		return &rows[len(rows)-1]
	}
	shift := moved // from a line's number before the changes to its number now
	for _, h := range append(edit.Diff(before, c.New), edit.Hunk{OldLine: len(old) + 1}) {
		for ; at < h.OldLine-1; at++ {
			add(" ", old[at], line+at+shift)
		}
		first := len(rows)
		for i, text := range h.Removed {
			add("−", text, line+at+i)
		}
		for i, text := range h.Added {
			row := add("+", text, line+at+shift+i)
			if i < len(h.Removed) {
				paired := &rows[first+i]
				paired.spans, row.spans = edit.Words(paired.spans[0].Text, row.spans[0].Text)
			}
		}
		at += len(h.Removed)
		shift += len(h.Added) - len(h.Removed)
	}
	return rows
}

// lines lays out a row. Text that is too wide continues below itself.
func (r diffRow) lines(digits, width int) []string {
	style := map[string]string{"+": green, "−": yellow}[r.sign]
	number := strings.Repeat(" ", digits)
	if r.number > 0 {
		number = fmt.Sprintf("%*d", digits, r.number)
	}
	var text strings.Builder
	for _, s := range r.spans {
		if s.Changed {
			text.WriteString(styled(style+reversed, harmless(s.Text)))
			continue
		}
		text.WriteString(styled(style, harmless(s.Text)))
	}
	text.WriteString(styled(dim, r.note))
	prefix := "  " + styled(dim, number) + " " + styled(style, r.sign) + " "
	room := width - ansi.StringWidth(prefix)
	if room < 4 {
		return hard(r.sign+text.String(), width)
	}
	lines := hard(text.String(), room)
	for i := range lines {
		if i > 0 {
			prefix = strings.Repeat(" ", width-room)
		}
		lines[i] = prefix + lines[i]
	}
	return lines
}

// changeCount returns how many lines changes add and remove.
func changeCount(changes []bellcord.Change) string {
	added, removed := 0, 0
	for _, c := range changes {
		before := ""
		if c.Old != nil {
			before = *c.Old
		}
		for _, h := range edit.Diff(before, c.New) {
			added, removed = added+len(h.Added), removed+len(h.Removed)
		}
	}
	return fmt.Sprintf("+%d −%d", added, removed)
}

// shortPath returns a path relative to the session's directory, if it is inside.
func shortPath(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); dir != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// changes returns the changes that a call makes to files: those that it has made,
// or else those of its question after the answer.
func (c *card) changes() []bellcord.Change {
	var all []bellcord.Change
	for _, part := range c.call.Content {
		if part.Change != nil {
			all = append(all, *part.Change)
		}
	}
	if all == nil {
		return c.asked
	}
	return all
}

// mostDiff is how many lines of a diff are shown if it is folded.
const mostDiff = 20

// diff returns the changes of a call below its title.
func (c *card) diff(width int, unfolded bool) []string {
	lines := diff(c.changes(), c.dir, brief(c.call), width)
	if over := len(lines) - mostDiff; !unfolded && over > 1 {
		lines = append(lines[:mostDiff:mostDiff], styled(dim, fmt.Sprintf("  … %d more lines · ctrl+o shows all", over)))
	}
	return lines
}
