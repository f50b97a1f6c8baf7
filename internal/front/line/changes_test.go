package line_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

func TestShow_ChangesRecorded_IsOneLineUnlessNothingChanged(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	w := line.Watch{View: &line.View{Out: &out, Err: &out}}
	show := func(c bellcord.Changes) {
		t.Helper()
		if _, err := w.Show(bellcord.Event{Body: bellcord.ChangesRecorded{Turn: "t", Changes: c}}); err != nil {
			t.Fatal(err)
		}
	}
	show(bellcord.Changes{})
	if out.String() != "" {
		t.Errorf("no changes: %q", out.String())
	}
	show(bellcord.Changes{Created: 1, Files: []bellcord.FileChange{{Path: "a", Kind: bellcord.FileCreated}}})
	if out.String() != "files: 1 created\n" {
		t.Errorf("one file: %q", out.String())
	}
}

// A name must not forge a line before a confirmation.
func TestChangesAndUndone_NameWithANewline_StaysInOneLine(t *testing.T) {
	t.Parallel()
	const name = "a\nrestored b"
	lists := line.Changes(bellcord.Changes{Files: []bellcord.FileChange{{Path: name, Kind: bellcord.FileCreated}}}) +
		line.Undone(bellcord.Undone{UndoResult: bellcord.UndoResult{Files: []bellcord.UndoneFile{{Path: name, Result: bellcord.UndoRestored}}}}, true)
	if strings.Count(lists, "\n") != 2 || strings.Count(lists, `"a\nrestored b"`) != 2 {
		t.Errorf("%q", lists)
	}
}
