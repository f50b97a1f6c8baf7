package realdir_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/bellcord/bellcord/internal/realdir"
)

// newTree returns a directory without links in its path, with the directories a/b and
// other.
func newTree(t *testing.T) string {
	t.Helper()
	top := realdir.Resolve(t.TempDir())
	for _, dir := range []string{"a/b", "other/b"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

func link(t *testing.T, target, at string) {
	t.Helper()
	if err := os.Symlink(target, at); err != nil {
		t.Skip("links cannot be created: ", err)
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestResolve_LinksAndMissingEnd_AreReplacedAndKept(t *testing.T) {
	t.Parallel()
	top := newTree(t)
	link(t, "a", filepath.Join(top, "l"))
	link(t, filepath.Join(top, "missing"), filepath.Join(top, "dangling"))
	for path, want := range map[string]string{
		"a/b": "a/b", "l/b": "a/b", "l/b/../b": "a/b", "l/new/er": "a/new/er", "dangling/x": "dangling/x", "missing": "missing",
		strings.Repeat("x", 10_000): strings.Repeat("x", 10_000), "a/\x00": "a/\x00", "a/\xff": "a/\xff",
	} {
		if got := realdir.Resolve(filepath.Join(top, path)); got != filepath.Join(top, want) {
			t.Errorf("%.40q: %.80q", path, got)
		}
	}
}

func TestOpen_PathWithALink_IsRefusedWithWhatToDo(t *testing.T) {
	t.Parallel()
	top := newTree(t)
	root, err := realdir.Open(filepath.Join(top, "a", "b"))
	if err != nil || root.Name() != filepath.Join(top, "a", "b") {
		t.Fatalf("%v, %v", root, err)
	}
	_ = root.Close()
	link(t, "a", filepath.Join(top, "last"))
	link(t, "a", filepath.Join(top, "middle"))
	for _, path := range []string{"last", "middle/b"} {
		root, err := realdir.Open(filepath.Join(top, path))
		if err == nil {
			_ = root.Close()
		}
		if !errors.Is(err, realdir.ErrReplaced) || !strings.Contains(err.Error(), "Start a new session") {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{"missing", "a/\x00", strings.Repeat("x", 10_000)} {
		if _, err := realdir.Open(filepath.Join(top, path)); err == nil || errors.Is(err, realdir.ErrReplaced) {
			t.Errorf("%.20q: %v", path, err)
		}
	}
}

func TestHeld_DirectoryReplacedByAnother_IsRefusedUntilItIsBack(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("an open directory cannot be moved")
	}
	top := newTree(t)
	dir, away := filepath.Join(top, "a"), filepath.Join(top, "away")
	var held realdir.Held
	check := func(when string, isReplaced bool) {
		t.Helper()
		if err := held.Check(filepath.Join(top, "missing"), dir); errors.Is(err, realdir.ErrReplaced) != isReplaced || err != nil != isReplaced {
			t.Errorf("%s: %v", when, err)
		}
	}
	check("at first", false)
	move(t, dir, away)
	check("missing", false)
	move(t, filepath.Join(top, "other"), dir)
	check("another directory", true)
	if err := new(realdir.Held).Check(dir); err != nil {
		t.Error("in a new turn: ", err)
	}
	move(t, dir, filepath.Join(top, "other"))
	link(t, "away", dir)
	check("a link to the same directory", true)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	move(t, away, dir)
	check("back", false)
}

// While another process exchanges the directory with a link to one outside, each
// directory that is opened is the first one.
func TestHeld_DirectoryExchangedAllTheTime_NeverOpensTheOther(t *testing.T) {
	t.Parallel()
	top := newTree(t)
	dir, away := filepath.Join(top, "a"), filepath.Join(top, "away")
	var held realdir.Held
	root, err := held.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	first, err := root.Stat(".")
	if err != nil {
		t.Fatal(err)
	}
	link(t, "other", filepath.Join(top, "l"))
	done := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			_ = os.Rename(dir, away)
			_ = os.Rename(filepath.Join(top, "l"), dir)
			_ = os.Rename(dir, filepath.Join(top, "l"))
			_ = os.Rename(away, dir)
		}
	})
	for range 3000 {
		root, err := held.Open(dir)
		if err != nil {
			continue
		}
		if info, err := root.Stat("."); err != nil || !os.SameFile(first, info) {
			t.Errorf("another directory was opened: %v", err)
		}
		_ = root.Close()
	}
	close(done)
	swapping.Wait()
}
