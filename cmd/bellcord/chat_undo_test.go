//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// writesFiles is a prompt after which a file is new, one is changed and one is gone.
const writesFiles = `[tool shell {"command":"printf test > newfile.txt; echo two >> a.txt; rm old.txt"}] [then [say written]]`

// filesToChange creates the files that writesFiles changes, and returns a function that
// checks whether they have their state before it.
func filesToChange(t *testing.T, dir string) (asBefore func() bool) {
	t.Helper()
	before := map[string]string{"a.txt": "one\n", "old.txt": "gone\n"}
	for name, text := range before {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func() bool {
		for name, text := range before {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
				return false
			}
		}
		_, err := os.Stat(filepath.Join(dir, "newfile.txt"))
		return os.IsNotExist(err)
	}
}

func TestChat_UndoAndRedo_ChangeFilesOnlyAfterTheAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asBefore := filesToChange(t, w.dir)
	c := w.chats("--mode", "full")
	c.enters(writesFiles)
	c.sees("files: 1 changed, 1 created, 1 deleted · /undo")
	c.enters("/changes")
	c.sees("newfile.txt: created while a command was running")
	c.enters("/diff a.txt")
	c.sees("2 + two")
	c.enters("/undo")
	c.sees("? Undo 3 files?")
	c.sees("newfile.txt: delete")
	if asBefore() {
		t.Fatal("the preview has changed files")
	}
	c.types("Escape")
	c.sees("Cancelled: no file was changed.")
	c.enters("/undo")
	c.sees("? Undo 3 files?")
	c.answers("y")
	c.sees("undone: 3 restored")
	if !asBefore() {
		t.Error("the files are not restored")
	}
	c.enters("/redo")
	c.sees("? Redo 3 files?")
	c.answers("y")
	c.sees("redone: 3 restored")
	if text, err := os.ReadFile(filepath.Join(w.dir, "newfile.txt")); err != nil || string(text) != "test" {
		t.Errorf("newfile.txt is %q, %v", text, err)
	}
}

func TestChat_UndoOfAPath_LeavesAFileThatWasChangedSince(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	filesToChange(t, w.dir)
	c := w.chats("--mode", "full")
	c.enters(writesFiles)
	c.sees("/undo")
	if err := os.WriteFile(filepath.Join(w.dir, "newfile.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.enters("/undo newfile.txt old.txt")
	c.sees("? Undo 1 file?")
	c.sees("newfile.txt: left alone: it was changed since")
	c.answers("y")
	c.sees("undone: 1 restored, 1 changed since and left alone")
	for name, want := range map[string]string{"newfile.txt": "mine", "old.txt": "gone\n", "a.txt": "one\ntwo\n"} {
		if text, err := os.ReadFile(filepath.Join(w.dir, name)); err != nil || string(text) != want {
			t.Errorf("%s is %q, %v; want %q", name, text, err, want)
		}
	}
}

func TestChat_PlainUndo_AsksInLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asBefore := filesToChange(t, w.dir)
	c := w.chats("--plain", "--mode", "full")
	c.enters(writesFiles)
	c.sees("files: 1 changed, 1 created, 1 deleted")
	c.enters("/diff newfile.txt")
	c.sees("1 + test")
	c.enters("/undo")
	c.sees("? Undo 3 files?")
	c.sees("y: undo 3 files, n: cancel; then Enter")
	c.enters("y")
	c.sees("undone: 3 restored")
	if !asBefore() {
		t.Error("the files are not restored")
	}
}

func TestChat_UndoOnServer_RestoresTheFilesThere(t *testing.T) {
	t.Parallel()
	c := chatsOnServer(t)
	c.enters("!echo one >made.txt; pwd >path.txt; cat path.txt")
	c.sees("2 created · /undo")
	c.enters("/diff made.txt")
	c.sees("1 + one")
	c.enters("/undo")
	c.sees("? Undo 2 files?")
	c.answers("y")
	c.sees("undone: 2 restored")
}
