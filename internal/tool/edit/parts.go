package edit

import "strings"

// Part is a changed part of a text, with unchanged lines around it. Lines are
// counted from 1.
type Part struct {
	OldLine, NewLine int // of the first line
	Old, New         string
}

// Parts returns the changed parts from one text to another, in whole lines, each
// with up to context unchanged lines before and after it. Changes that share such
// lines are one part.
func Parts(before, after string, context int) []Part {
	old, replaced := Lines(before), Lines(after)
	var all []Part
	for changes := diffLines(old, replaced); len(changes) > 0; {
		first, last := changes[0], changes[0]
		changes = changes[1:]
		for len(changes) > 0 && changes[0].oldAt-(last.oldAt+last.removed) <= 2*context {
			last, changes = changes[0], changes[1:]
		}
		lead := min(context, first.oldAt)
		oldEnd, newEnd := last.oldAt+last.removed, last.newAt+last.added
		trail := min(context, len(old)-oldEnd)
		all = append(all, Part{
			OldLine: first.oldAt - lead + 1, NewLine: first.newAt - lead + 1,
			Old: strings.Join(old[first.oldAt-lead:oldEnd+trail], ""),
			New: strings.Join(replaced[first.newAt-lead:newEnd+trail], ""),
		})
	}
	return all
}
