package workspace_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// newTree returns a directory open with a file and a link to a directory and to a
// file outside of it.
func newTree(t *testing.T) (dir *workspace.Dir, path string) {
	t.Helper()
	top := t.TempDir()
	path = filepath.Join(top, "in")
	for _, sub := range []string{"in/sub", "out"} {
		if err := os.MkdirAll(filepath.Join(top, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"in/sub/deep.txt", "out/secret.txt"} {
		if err := os.WriteFile(filepath.Join(top, file), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"dirlink": filepath.Join(top, "out"), "filelink": filepath.Join(top, "out", "secret.txt")} {
		if err := os.Symlink(target, filepath.Join(path, name)); err != nil {
			t.Skip("links cannot be created: ", err)
		}
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	if dir, err = workspace.OpenDir(root, "in"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	return dir, path
}

func TestHeld_Dir_LinkToTheOutside_IsNotFollowed(t *testing.T) {
	t.Parallel()
	dir, path := newTree(t)
	if sub, err := dir.Sub("dirlink"); err == nil {
		_ = sub.Close()
		t.Error("a link to a directory was opened")
	}
	if f, err := dir.Open("filelink"); err == nil {
		_ = f.Close()
		t.Error("a link to a file was opened")
	}
	link, err := os.Lstat(filepath.Join(path, "filelink"))
	if err != nil {
		t.Fatal(err)
	}
	if size, modified, err := dir.Stat("filelink"); err != nil || size != link.Size() || !modified.Equal(link.ModTime()) {
		t.Errorf("the link has %d bytes and is from %s: %v", size, modified, err)
	}
	if target, err := dir.Readlink("filelink"); err != nil || filepath.Base(target) != "secret.txt" {
		t.Errorf("%q, %v", target, err)
	}
	if sub, err := dir.Sub("missing"); err == nil {
		_ = sub.Close()
		t.Error("a missing directory was opened")
	}
}

// A directory that is replaced by a link while it is open stays the directory that
// was opened.
func TestHeld_Dir_PathReplacedByALink_StaysTheOpenedDirectory(t *testing.T) {
	t.Parallel()
	dir, path := newTree(t)
	sub, err := dir.Sub("sub")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if err := os.Rename(filepath.Join(path, "sub"), filepath.Join(path, "moved")); err != nil {
		t.Skip("an open directory cannot be moved: ", err)
	}
	if err := os.Symlink(filepath.Join(path, "..", "out"), filepath.Join(path, "sub")); err != nil {
		t.Fatal(err)
	}
	entries, err := sub.Entries(t.Context(), "sub", nil)
	if err != nil || len(entries) != 1 || entries[0].Name() != "deep.txt" {
		t.Errorf("%v, %v", entries, err)
	}
	f, err := sub.Open("deep.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := io.ReadAll(f); err != nil || string(text) != "in/sub/deep.txt" {
		t.Errorf("%q, %v", text, err)
	}
	if size, modified, err := sub.Stat("deep.txt"); err != nil || size != 15 || time.Since(modified) > time.Hour {
		t.Errorf("%d, %s, %v", size, modified, err)
	}
}

func TestDir_Entries_AreSortedByName(t *testing.T) {
	t.Parallel()
	dir, _ := newTree(t)
	entries, err := dir.Entries(t.Context(), "in", nil)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"dirlink", "filelink", "sub"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, %v", names, err)
	}
}
