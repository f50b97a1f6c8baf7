package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/filelock"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

// An editor that is open when another process dies recovers the calls of that process:
// no process has to start for that.
func TestLawU3_KilledWhileAnEditorIsOpen_EditorFindsTheChanges(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	w := newWorld(t)
	victims["acp"](w, "[slow 100000 1s]")
	w.crashes(bellcord.TurnID("00000000-0000-4000-8000-000000000001"))
	isOfDead := func(mark string) bool {
		held, err := filelock.IsHeld(mark)
		return err == nil && !held
	}
	comesTrue(t, "the editor's process has recovered the calls", func() bool {
		marks, err := filepath.Glob(filepath.Join(w.data, "undo", "*", "alive-*"))
		return err == nil && !slices.ContainsFunc(marks, isOfDead)
	})
	w.undoesAll(false)
}
