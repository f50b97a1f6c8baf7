package line

import (
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/changelist"
)

// Changes returns the list of changes, one line for each file.
func Changes(c bellcord.Changes) string {
	var b strings.Builder
	for _, f := range c.Files {
		fmt.Fprintf(&b, "%-8s %s%s\n", f.Kind, changelist.Name(f.Path, f.Directory), remark(f))
	}
	for _, n := range changelist.Notes(c, len(c.Files)) {
		b.WriteString(strings.ReplaceAll(Visible(n), "\n", " ") + "\n")
	}
	if b.Len() == 0 {
		return "No file has changed.\n"
	}
	return b.String()
}

func remark(f bellcord.FileChange) string {
	var parts []string
	if text := changelist.When(f.Certainty); text != "" {
		parts = append(parts, text)
	}
	if f.NotKept != "" {
		parts = append(parts, "cannot be undone: "+Visible(f.NotKept))
	}
	if len(parts) == 0 {
		return ""
	}
	return "  (" + strings.Join(parts, "; ") + ")"
}

// Undone returns what an undo did with each path, one line for each, or with
// preview what it would do.
func Undone(u bellcord.Undone, preview bool) string {
	var b strings.Builder
	words := map[bellcord.UndoOutcome]string{
		bellcord.UndoRestored: "restored", bellcord.UndoAlready: "as before", bellcord.UndoConflict: "conflict",
		bellcord.UndoNotKept: "not kept", bellcord.UndoSkipped: "skipped", bellcord.UndoLate: "restored",
	}
	if preview {
		words[bellcord.UndoRestored] = "restore"
	}
	for _, f := range u.Files {
		word := words[f.Result]
		switch {
		case f.Removed && preview:
			word = "remove"
		case f.Removed:
			word = "removed"
		}
		fmt.Fprintf(&b, "%-9s %s", word, changelist.Name(f.Path, false))
		if f.Reason != "" {
			fmt.Fprintf(&b, "  (%s)", Visible(f.Reason))
		}
		if f.Trash != "" {
			fmt.Fprintf(&b, "  (a program wrote to it afterwards; that text is in %s)", Visible(f.Trash))
		}
		b.WriteString("\n")
	}
	if u.More > 0 {
		fmt.Fprintf(&b, "and %d more\n", u.More)
	}
	return b.String()
}

// mostDetails is how many files the details of a receipt list.
const mostDetails = 20

// files adds what the turn changed.
func (d *details) files(c *bellcord.Changes) {
	if c == nil || c.IsEmpty() {
		return
	}
	d.add("files", c.Text())
	for _, r := range changelist.Changes(*c, mostDetails) {
		d.add("", "  "+Visible(r.Path+": "+r.Text))
	}
	for _, n := range changelist.Notes(*c, mostDetails) {
		d.add("", "  "+strings.ReplaceAll(Visible(n), "\n", " "))
	}
}
