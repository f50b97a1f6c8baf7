package undo_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo"
)

func (s *stage) mkdir(name string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Join(s.dir, name), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// directories returns the directories below the session's directory.
func (s *stage) directories() []string {
	s.t.Helper()
	var all []string
	err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(s.dir, path); err == nil && d.IsDir() && rel != "." {
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

func TestLawU5_SinglePaths_RemoveCreatedDirectoriesThatAreEmptyAfterwards(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"kept/a": "1"})
	s.mkdir("empty")
	turn, _ := s.command(func() {
		s.write("new/deep/b", "1")
		s.write("new/c", "1")
		s.mkdir("new/other")
		s.write("kept/d", "1")
		s.write("empty/e", "1")
	})
	for _, step := range []struct {
		paths    []string
		restored []string
		left     []string
	}{
		{[]string{"new/deep/b"}, []string{"new/deep", "new/deep/b"}, []string{"empty", "kept", "new", "new/other"}},
		{[]string{"new/c"}, []string{"new/c"}, []string{"empty", "kept", "new", "new/other"}}, // new/other is not named, so new is not empty
		{[]string{"new/other"}, []string{"new", "new/other"}, []string{"empty", "kept"}},
		{[]string{"kept/d", "empty/e"}, []string{"empty/e", "kept/d"}, []string{"empty", "kept"}}, // not created by the turn
	} {
		u := s.undo(undo.Request{Turns: []bellcord.TurnID{turn}, Paths: step.paths, Confirmed: true})
		if got := restoredPaths(u); !slices.Equal(got, step.restored) || u.Conflicts > 0 {
			t.Errorf("undo of %q: restored %q, want %q; %+v", step.paths, got, step.restored, u)
		}
		if got := s.directories(); !slices.Equal(got, step.left) {
			t.Errorf("after the undo of %q: %q, want %q", step.paths, got, step.left)
		}
	}
}

func TestUndo_SinglePathInADirectoryWithOtherFiles_LeavesTheDirectoryUnmentioned(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	turn, _ := s.command(func() { s.write("new/a", "1") })
	s.write("new/mine", "1")
	u := s.undo(undo.Request{Turns: []bellcord.TurnID{turn}, Paths: []string{"new/a"}, Confirmed: true})
	if len(u.Files) != 1 || u.Conflicts != 0 || s.tree()["new/mine"] != "1" {
		t.Errorf("%+v, and the directory has %v", u, s.tree())
	}
}

func TestRedo_SinglePathWithItsDirectory_CreatesBothAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	turn, _ := s.command(func() { s.write("new/deep/a", "1") })
	u := s.undo(undo.Request{Turns: []bellcord.TurnID{turn}, Paths: []string{"new/deep/a"}, Confirmed: true})
	if got := s.directories(); len(got) != 0 {
		t.Fatalf("after the undo: %q", got)
	}
	if _, err := s.recorder.Redo(t.Context(), undo.Request{Session: s.session, Confirmed: true}, u.Undo); err != nil {
		t.Fatal(err)
	}
	if s.tree()["new/deep/a"] != "1" {
		t.Errorf("after the redo: %v", s.tree())
	}
}

func restoredPaths(u bellcord.Undone) []string {
	var all []string
	for _, f := range u.Files {
		if f.Result == bellcord.UndoRestored {
			all = append(all, f.Path)
		}
	}
	slices.Sort(all)
	return all
}
