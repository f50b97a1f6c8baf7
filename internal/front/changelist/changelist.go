// Package changelist describes for people what a turn changed, and what an undo
// does with each path. All fronts use the same words.
package changelist

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plural"
)

// When describes a certainty, or returns "" for a change that is certain.
func When(c bellcord.Certainty) string { return certainties[c] }

// Row is a path and its description. A path with characters that are not
// printable is quoted.
type Row struct{ Path, Text string }

// certainties are the words for certainties. The usual one needs none.
var certainties = map[bellcord.Certainty]string{
	bellcord.ChangeOwn:      "",
	bellcord.ChangeDuring:   "while a command was running",
	bellcord.ChangeFound:    "while a command was running, found after a crash",
	bellcord.ChangeDisputed: "while calls of several sessions were running",
	bellcord.ChangeLoose:    "between calls, while background processes were running",
}

// Changes describes the files of a turn, at most most of them. Notes describes the
// rest.
func Changes(c bellcord.Changes, most int) []Row {
	var rows []Row
	for _, f := range c.Files[:min(len(c.Files), most)] {
		text := string(f.Kind)
		if when := certainties[f.Certainty]; when != "" {
			text += " " + when
		}
		if f.NotKept != "" {
			text += "; cannot be undone: " + f.NotKept
		}
		rows = append(rows, Row{Name(f.Path, f.Directory), text})
	}
	return rows
}

// Notes describes what Changes with the same limit does not list.
func Notes(c bellcord.Changes, most int) []string {
	var notes []string
	if n := c.More + max(0, len(c.Files)-most); n > 0 {
		notes = append(notes, "and "+plural.Count(n, "other path"))
	}
	for _, g := range c.Gaps {
		path := "the whole directory"
		if g.Path != "" {
			path = Name(g.Path, true)
		}
		notes = append(notes, "not compared: "+path+": "+g.Reason)
	}
	if c.Problem != "" {
		notes = append(notes, "incomplete: "+c.Problem)
	}
	if c.Pending {
		notes = append(notes, "pending: the files are still being compared")
	}
	return notes
}

// Preview describes what an undo would do: the paths that it would restore, at most
// most of them, and the paths that it would leave alone. more is how many others it
// would restore. Changes are those of the turn that it undoes.
func Preview(u bellcord.Undone, changes bellcord.Changes, most int) (restored, alone []Row, more int) {
	of := map[string]bellcord.FileChange{}
	for _, f := range changes.Files {
		of[f.Path] = f
	}
	for _, f := range u.Files {
		switch change := of[f.Path]; {
		case f.Result != bellcord.UndoRestored:
			alone = append(alone, Row{Name(f.Path, change.Directory), left(f)})
		case len(restored) < most:
			restored = append(restored, Row{Name(f.Path, change.Directory), plan(change, u.Redone != "")})
		}
	}
	return restored, alone, u.Restored - len(restored)
}

// Files returns what an undo would restore, for example "2 files". Directories do
// not count, unless there is nothing else.
func Files(u bellcord.Undone, changes bellcord.Changes) string {
	directories := 0
	for _, f := range u.Files {
		if f.Result == bellcord.UndoRestored && slices.ContainsFunc(changes.Files, func(c bellcord.FileChange) bool { return c.Path == f.Path && c.Directory }) {
			directories++
		}
	}
	if n := u.Restored - directories; n > 0 {
		return plural.Count(n, "file")
	}
	return plural.Count(u.Restored, "path")
}

// plan describes how an undo, or a redo, would restore a path.
func plan(change bellcord.FileChange, redo bool) string {
	text := "restore"
	switch {
	case change.Kind == bellcord.FileCreated && !redo, change.Kind == bellcord.FileDeleted && redo:
		text = "delete"
	case change.Kind == bellcord.FileCreated, change.Kind == bellcord.FileDeleted:
		text = "create again"
	case redo:
		text = "change again"
	}
	if when := certainties[change.Certainty]; when != "" && !redo {
		text += "; " + string(change.Kind) + " " + when
	}
	return text
}

// Left describes the paths that an undo did not restore, and those that a program
// has written to afterwards.
func Left(u bellcord.Undone) []Row {
	var rows []Row
	for _, f := range u.Files {
		if f.Result != bellcord.UndoRestored {
			rows = append(rows, Row{Name(f.Path, false), left(f)})
		}
	}
	return rows
}

func left(f bellcord.UndoneFile) string {
	switch f.Result {
	case bellcord.UndoAlready:
		return "already in this state"
	case bellcord.UndoConflict:
		return "left alone: " + f.Reason
	case bellcord.UndoNotKept:
		return "cannot be restored: " + f.Reason
	case bellcord.UndoSkipped:
		return "skipped: " + f.Reason
	case bellcord.UndoLate:
		return "restored, but a program wrote to it afterwards; its text is in " + f.Trash
	case bellcord.UndoRestored:
	}
	return string(f.Result)
}

// Name returns a path in one line. One with characters that are not printable is
// quoted.
func Name(path string, directory bool) string {
	if strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) {
		path = strconv.Quote(path)
	}
	if directory {
		return path + "/"
	}
	return path
}
