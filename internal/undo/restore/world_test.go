//go:build linux

package restore_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/restore"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// entry is one path of a world: a file, a symbolic link (text is its target) or a
// directory.
type entry struct {
	kind tree.Kind
	mode fs.FileMode
	text string
}

func file(text string) entry     { return entry{tree.File, 0o644, text} }
func link(target string) entry   { return entry{tree.Symlink, 0, target} }
func dir(mode fs.FileMode) entry { return entry{tree.Directory, mode, ""} }

// world is the content of a workspace.
type world map[string]entry

func (e entry) state() tree.State {
	s := tree.State{Kind: e.kind, Mode: e.mode}
	if e.kind == tree.File || e.kind == tree.Symlink {
		s.Size, s.Sum, s.Hashed = int64(len(e.text)), sha256.Sum256([]byte(e.text)), true
	}
	return s
}

// changes returns the changes from one world to another.
func changes(before, after world) []tree.Change {
	paths := maps.Clone(before)
	maps.Copy(paths, after)
	var all []tree.Change
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if b, a := before[path].state(), after[path].state(); !b.Equal(a) {
			all = append(all, tree.Change{Path: path, Before: b, After: a, Kept: true})
		}
	}
	return all
}

// build creates a world in an empty directory.
func (w world) build(root string) error {
	paths := slices.Sorted(maps.Keys(w))
	for _, path := range paths {
		e, at := w[path], filepath.Join(root, path)
		var err error
		switch e.kind {
		case tree.Directory:
			err = os.Mkdir(at, 0o700)
		case tree.Symlink:
			err = os.Symlink(e.text, at)
		case tree.Absent, tree.File, tree.Other, tree.Repository:
			if err = os.WriteFile(at, []byte(e.text), 0o600); err == nil {
				err = os.Chmod(at, e.mode)
			}
		}
		if err != nil {
			return err
		}
	}
	for _, path := range slices.Backward(paths) {
		if w[path].kind == tree.Directory {
			if err := os.Chmod(filepath.Join(root, path), w[path].mode); err != nil {
				return err
			}
		}
	}
	return nil
}

// readWorld reads everything below a directory, without the code under test.
func readWorld(root string) (world, error) {
	w := world{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := entry{kind: tree.Directory, mode: info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			e = link(target)
		case info.Mode().IsRegular():
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			e.kind, e.text = tree.File, string(text)
		}
		w[strings.TrimPrefix(path, root+"/")] = e
		return nil
	})
	return w, err
}

// difference describes how two worlds differ, "" if they do not.
func difference(got, want world) string {
	var b strings.Builder
	paths := maps.Clone(got)
	maps.Copy(paths, want)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if g, w := got[path], want[path]; g != w {
			fmt.Fprintf(&b, "%q is %s, want %s\n", path, g, w)
		}
	}
	return b.String()
}

func (e entry) String() string {
	return fmt.Sprintf("%q %v %.40q (%d bytes)", string(e.kind), e.mode, e.text, len(e.text))
}

// memory is a source in memory.
type memory map[tree.Sum]string

func (m memory) Open(sum tree.Sum) (io.ReadCloser, error) {
	text, ok := m[sum]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader([]byte(text))), nil
}

// keep returns a source with the bytes of worlds.
func keep(worlds ...world) memory {
	m := memory{}
	for _, w := range worlds {
		for _, e := range w {
			if e.kind != tree.Directory {
				m[e.state().Sum] = e.text
			}
		}
	}
	return m
}

// pack is a source in a directory, for other processes.
type pack string

func (p pack) Open(sum tree.Sum) (io.ReadCloser, error) {
	return os.Open(filepath.Join(string(p), hex.EncodeToString(sum[:])))
}

func (m memory) save(dir string) error {
	for sum, text := range m {
		if err := os.WriteFile(filepath.Join(dir, hex.EncodeToString(sum[:])), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// place is a workspace and the directory of an undo.
type place struct {
	root, dir string
	started   func(*os.Process) // called with a child; nil for none
}

// newPlace builds a world in a new workspace.
func newPlace(t testing.TB, w world) place {
	t.Helper()
	base := t.TempDir()
	p := place{root: filepath.Join(base, "workspace"), dir: filepath.Join(base, "undo")}
	if err := os.Mkdir(p.root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := w.build(p.root); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // directories without write permission cannot be emptied
		_ = filepath.WalkDir(p.root, func(path string, d fs.DirEntry, _ error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(path, 0o700)
			}
			return nil
		})
	})
	return p
}

// undo plans and applies an undo and returns the outcomes by path.
func (p place) undo(t testing.TB, source restore.Source, turns ...[]tree.Change) map[string]restore.Outcome {
	t.Helper()
	u, err := restore.Plan(p.root, turns, restore.Options{Dir: p.dir, Source: source})
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := u.Apply(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return byPath(outcomes)
}

func byPath(outcomes []restore.Outcome) map[string]restore.Outcome {
	all := map[string]restore.Outcome{}
	for _, o := range outcomes {
		all[o.Path] = o
	}
	return all
}

// wantWorld requires that the workspace has exactly the given content.
func (p place) wantWorld(t testing.TB, want world) {
	t.Helper()
	got, err := readWorld(p.root)
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(got, want); d != "" {
		t.Errorf("the workspace differs:\n%s", d)
	}
}

func wantResults(t testing.TB, got map[string]restore.Outcome, want map[string]restore.Result) {
	t.Helper()
	for path, result := range want {
		if got[path].Result != result {
			t.Errorf("%q: %q (%s), want %q", path, got[path].Result, got[path].Reason, result)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d outcomes, want %d: %v", len(got), len(want), got)
	}
}

// leftovers returns the files of an undo that must not remain when it is done.
func leftovers(undo string) []string {
	var found []string
	_ = filepath.WalkDir(undo, func(path string, d fs.DirEntry, _ error) error {
		name := d.Name()
		if path != undo && !slices.Contains([]string{"plan", "staged", "done", "files"}, name) && !strings.HasSuffix(name, ".out") {
			found = append(found, path)
		}
		return nil
	})
	return found
}
