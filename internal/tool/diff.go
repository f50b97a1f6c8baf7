package tool

import (
	"fmt"
	"strings"

	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/internal/tool/edit"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

const (
	maxQuestionLines = 40  // lines of each side in a question
	mostChange       = 12  // lines of each side in a result
	mostHunks        = 3   // changed places in a result
	mostWide         = 200 // characters per line in both
	around           = 2   // lines of context
)

// edited describes an edit: the file, the first changes in the style of a
// unified diff, and how the old text differed from the file.
func edited(path, before string, applied edit.Applied) string {
	out := fmt.Sprintf("edited %s (%s)\n", workspace.Shown(path), plural.Count(applied.Places, "place")) + changes(before, applied.Text)
	if applied.Note != "" {
		out += "[matched by " + applied.Note + "]\n"
	}
	return out
}

// changes returns the first differences between two texts, in whole lines. Lines
// of the new text have their numbers, in the form of read_file.
func changes(before, after string) string {
	var out strings.Builder
	old := edit.Lines(before)
	hunks := edit.Diff(before, after)
	for i, h := range hunks {
		if i == mostHunks {
			fmt.Fprintf(&out, "[and %d more]\n", len(hunks)-i)
			break
		}
		first := max(h.OldLine-1-around, 0)
		if i > 0 {
			first = max(first, hunks[i-1].OldLine-1+len(hunks[i-1].Removed))
		}
		end := h.OldLine - 1 + len(h.Removed)
		last := min(end+around, len(old))
		if i+1 < len(hunks) {
			last = min(last, hunks[i+1].OldLine-1)
		}
		fmt.Fprintf(&out, "@@ line %d @@\n", h.NewLine)
		context := old[first : h.OldLine-1]
		out.WriteString(numberedLines(" ", context, h.NewLine-len(context), around))
		out.WriteString(diffLines("-", strings.Join(h.Removed, ""), mostChange))
		out.WriteString(numberedLines("+", h.Added, h.NewLine, mostChange))
		out.WriteString(numberedLines(" ", old[end:last], h.NewLine+len(h.Added), around))
	}
	return out.String()
}

// diffLines returns the lines with sign before each, limited to most lines and
// followed by the number of omitted ones.
func diffLines(sign, text string, most int) string {
	return signedLines(edit.Lines(text), most, func(int) string { return sign })
}

// numberedLines is like diffLines, with the number of each line after the sign.
// The first line has the number first.
func numberedLines(sign string, lines []string, first, most int) string {
	return signedLines(lines, most, func(i int) string { return fmt.Sprintf("%s%d→", sign, first+i) })
}

func signedLines(lines []string, most int, sign func(i int) string) string {
	var out strings.Builder
	for i, line := range lines {
		if i == most && len(lines) > most+1 {
			fmt.Fprintf(&out, "%s[%d more lines]\n", sign(i), len(lines)-i)
			break
		}
		out.WriteString(sign(i) + workspace.Plain(workspace.CutLine(strings.TrimRight(line, "\r\n"), mostWide)) + "\n")
	}
	return out.String()
}
