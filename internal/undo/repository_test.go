//go:build linux

package undo_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo"
)

// U4, U5: the undo names a repository that is gone, and restores the file .git of a
// submodule.
func TestUndo_RepositoryAndSubmoduleRemoved_NamesTheOneAndRestoresTheOther(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "f": "1", "sm/.git": "gitdir: x\n", "sm/u": "1"})
	id, changes := s.command(func() {
		for _, name := range []string{".git", "f", "sm"} {
			if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	})
	if changes.NotKept != 1 || changes.Files[0].Path != ".git" || changes.Files[0].NotKept == "" {
		t.Errorf("changes: %+v", changes)
	}
	u := s.undo(undo.Request{Turns: []bellcord.TurnID{id}, Confirmed: true})
	if u.NotKept != 1 || u.Conflicts != 0 || u.Files[0].Path != ".git" || u.Files[0].Reason == "" {
		t.Errorf("undo: %+v", u)
	}
	if got := s.tree(); got["sm/.git"] != "gitdir: x\n" || got["sm/u"] != "1" || got["f"] != "1" || len(got) != 3 {
		t.Errorf("%v", got)
	}
	_, err := s.recorder.Redo(t.Context(), undo.Request{Session: s.session}, u.Undo)
	if got := s.tree(); err != nil || len(got) != 0 {
		t.Errorf("after the redo: %v, %v", got, err)
	}
}
