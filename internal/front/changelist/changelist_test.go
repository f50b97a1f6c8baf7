package changelist_test

import (
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/changelist"
)

var changes = bellcord.Changes{
	Files: []bellcord.FileChange{
		{Path: "docs", Kind: bellcord.FileCreated, Directory: true, Certainty: bellcord.ChangeDuring},
		{Path: "go.mod", Kind: bellcord.FileChanged, Certainty: bellcord.ChangeOwn},
		{Path: "new\n.txt", Kind: bellcord.FileCreated, Certainty: bellcord.ChangeDuring},
		{Path: "old.txt", Kind: bellcord.FileDeleted, Certainty: bellcord.ChangeOwn, NotKept: "it is too large"},
	},
	More: 2,
	Gaps: []bellcord.FileGap{{Path: "vendor", Reason: "no permission"}, {Reason: "out of time"}}, Problem: "the disk is full",
}

func TestChanges_FilesDirectoriesAndControlCharacters_AreDescribed(t *testing.T) {
	t.Parallel()
	want := []changelist.Row{
		{"docs/", "created while a command was running"},
		{"go.mod", "changed"},
		{`"new\n.txt"`, "created while a command was running"},
	}
	if got := changelist.Changes(changes, 3); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := changelist.Changes(changes, 9); got[3].Text != "deleted; cannot be undone: it is too large" {
		t.Errorf("got %q", got[3])
	}
}

func TestNotes_LimitGapsAndProblem_AreDescribed(t *testing.T) {
	t.Parallel()
	want := []string{"and 3 other paths", "not compared: vendor/: no permission", "not compared: the whole directory: out of time", "incomplete: the disk is full"}
	if got := changelist.Notes(changes, 3); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPreview_UndoAndRedo_DescribeTheOppositeOfEachOther(t *testing.T) {
	t.Parallel()
	u := bellcord.Undone{UndoResult: bellcord.UndoResult{Restored: 4, Files: []bellcord.UndoneFile{
		{Path: "go.mod", Result: bellcord.UndoRestored},
		{Path: "new\n.txt", Result: bellcord.UndoRestored},
		{Path: "old.txt", Result: bellcord.UndoRestored},
		{Path: "docs", Result: bellcord.UndoConflict, Reason: "the directory is not empty"},
	}}}
	restored, alone, more := changelist.Preview(u, changes, 3)
	if want := []string{"restore", "delete; created while a command was running", "create again"}; !slices.Equal(texts(restored), want) || more != 1 {
		t.Errorf("undo: got %q and %d more, want %q and 1 more", restored, more, want)
	}
	if want := []changelist.Row{{"docs/", "left alone: the directory is not empty"}}; !slices.Equal(alone, want) {
		t.Errorf("undo: leaves %q alone, want %q", alone, want)
	}
	u.Redone = "u1"
	restored, _, _ = changelist.Preview(u, changes, 3)
	if want := []string{"change again", "create again", "delete"}; !slices.Equal(texts(restored), want) {
		t.Errorf("redo: got %q, want %q", restored, want)
	}
}

func TestFiles_Directories_CountOnlyIfThereIsNothingElse(t *testing.T) {
	t.Parallel()
	dir, file := bellcord.UndoneFile{Path: "docs", Result: bellcord.UndoRestored}, bellcord.UndoneFile{Path: "go.mod", Result: bellcord.UndoRestored}
	for want, result := range map[string]bellcord.UndoResult{
		"1 file": {Restored: 2, Files: []bellcord.UndoneFile{dir, file}},
		"1 path": {Restored: 1, Files: []bellcord.UndoneFile{dir}},
	} {
		if got := changelist.Files(bellcord.Undone{UndoResult: result}, changes); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLeft_ResultOfAnUndo_HasThePathsThatNeedAttention(t *testing.T) {
	t.Parallel()
	u := bellcord.Undone{UndoResult: bellcord.UndoResult{Files: []bellcord.UndoneFile{
		{Path: "a", Result: bellcord.UndoRestored},
		{Path: "b", Result: bellcord.UndoConflict, Reason: "it was changed since"},
		{Path: "c", Result: bellcord.UndoLate, Trash: "/trash/c"},
	}}}
	want := []changelist.Row{{"b", "left alone: it was changed since"}, {"c", "restored, but a program wrote to it afterwards; its text is in /trash/c"}}
	if got := changelist.Left(u); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func texts(rows []changelist.Row) []string {
	var all []string
	for _, r := range rows {
		all = append(all, r.Text)
	}
	return all
}
