package snapshot_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

var ctx = context.Background()

// plain is a copy of a directory, made without the code under test.
type plain struct {
	states map[string]tree.State
	bytes  map[tree.Sum]string
}

func newPlain() plain { return plain{map[string]tree.State{}, map[tree.Sum]string{}} }

// failer is the part of testing.T and rapid.T that helpers need.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

func must(t failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// copyOf copies a directory without .git.
func copyOf(t failer, root string) plain {
	t.Helper()
	p := newPlain()
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		if d.Name() == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		s := tree.State{Mode: info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)}
		var text []byte
		switch {
		case info.Mode().IsRegular():
			s.Kind = tree.File
			text, err = os.ReadFile(path)
		case info.Mode()&fs.ModeSymlink != 0:
			s.Kind, s.Mode = tree.Symlink, 0
			var target string
			target, err = os.Readlink(path)
			text = []byte(target)
		case info.IsDir():
			s.Kind = tree.Directory
		default:
			s.Kind = tree.Other
		}
		if s.Kind == tree.File || s.Kind == tree.Symlink {
			s.Hashed, s.Size, s.Sum = true, int64(len(text)), sha256.Sum256(text)
			p.bytes[s.Sum] = string(text)
		}
		p.states[rel] = s
		return err
	}))
	return p
}

// changes returns the differences of two copies, sorted by path.
func changes(before, after plain, as tree.Certainty) []tree.Change {
	var all []tree.Change
	for path, s := range before.states {
		if now := after.states[path]; !now.Equal(s) {
			all = append(all, tree.Change{Path: path, Before: s, After: now, Kept: true, Certainty: as})
		}
	}
	for path, s := range after.states {
		if _, existed := before.states[path]; !existed {
			all = append(all, tree.Change{Path: path, After: s, Kept: true, Certainty: as})
		}
	}
	slices.SortFunc(all, tree.Compare)
	return all
}

// equalChanges compares changes, and the bytes of the kept ones with copies.
func equalChanges(t failer, w *snapshot.Workspace, got, want []tree.Change, copies ...plain) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("changes:\n%s\nwant:\n%s", list(got), list(want))
	}
	for _, c := range got {
		for _, s := range []tree.State{c.Before, c.After} {
			if c.Kept && s.Hashed {
				equalBytes(t, w, c.Path, s.Sum, copies)
			}
		}
	}
}

func equalBytes(t failer, w *snapshot.Workspace, path string, sum tree.Sum, copies []plain) {
	t.Helper()
	r, err := w.Open(sum)
	if err != nil {
		t.Fatalf("bytes of %q: %v", path, err)
	}
	text, err := io.ReadAll(r)
	must(t, err)
	for _, p := range copies {
		if want, ok := p.bytes[sum]; ok {
			if string(text) != want {
				t.Fatalf("bytes of %q differ from the copy", path)
			}
			return
		}
	}
	t.Fatalf("no copy has the bytes of %q", path)
}

func list(all []tree.Change) string {
	text := ""
	for _, c := range all {
		text += fmt.Sprintf("  %q %s %s: %v %o %x -> %v %o %x kept %v %s\n", c.Path, c.Certainty, c.Reason, c.Before.Kind, c.Before.Mode, c.Before.Sum[:3], c.After.Kind, c.After.Mode, c.After.Sum[:3], c.Kept, c.Reason)
	}
	return text
}

func write(t failer, root, path, text string) {
	t.Helper()
	full := filepath.Join(root, path)
	must(t, os.MkdirAll(filepath.Dir(full), 0o755))
	must(t, os.WriteFile(full, []byte(text), 0o644))
}

func open(t failer, place, root string, l snapshot.Limits) *snapshot.Workspace {
	t.Helper()
	w, err := snapshot.Open(place, root, l)
	must(t, err)
	return w
}

// fresh returns an open workspace in new directories.
func fresh(t *testing.T, l snapshot.Limits) (w *snapshot.Workspace, place, root string) {
	t.Helper()
	place, root = t.TempDir(), t.TempDir()
	w = open(t, place, root, l)
	t.Cleanup(func() { _ = w.Close() })
	return w, place, root
}

func begin(t failer, w *snapshot.Workspace, id, session string) snapshot.Report {
	t.Helper()
	r, err := w.Begin(ctx, snapshot.Call{ID: id, Turn: id, Session: session}, snapshot.Whole)
	must(t, err)
	return r
}

func end(t failer, w *snapshot.Workspace, id string) snapshot.Result {
	t.Helper()
	r, err := w.End(ctx, id, snapshot.Whole)
	must(t, err)
	return r
}

// settle scans until no file is so new that the next scan reads it again.
func settle(t failer, w *snapshot.Workspace) {
	t.Helper()
	for first := true; first || w.Racy() > 0; first = false {
		_, err := w.Scan(ctx, snapshot.Whole)
		must(t, err)
	}
}
