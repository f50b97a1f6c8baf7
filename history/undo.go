package history

import (
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
)

// mostNamed is how many files the note about an undo names.
const mostNamed = 20

// noteOnUndo returns the note to the model about files that were restored: it
// must not rely on what it has read or written before.
func noteOnUndo(u bellcord.Undone) string {
	what := "the user has undone the changes of an earlier turn to files"
	if u.Redone != "" {
		what = "the user has made undone changes to files again"
	}
	var names []string
	for _, f := range u.Files {
		if f.Result == bellcord.UndoRestored || f.Result == bellcord.UndoLate {
			names = append(names, f.Path)
		}
	}
	if len(names) == 0 {
		return "[" + what + ", but no file was affected]"
	}
	more := ""
	if rest := u.Restored - min(len(names), mostNamed); rest > 0 {
		more = fmt.Sprintf(" and %d more", rest)
	}
	names = names[:min(len(names), mostNamed)]
	return "[" + what + ": " + strings.Join(names, ", ") + more + ". Read these files again before you rely on them]"
}
