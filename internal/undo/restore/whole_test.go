//go:build linux

package restore_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/bellcord/bellcord/internal/undo/restore"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

var scripts = flag.Int("scripts", 150, "random scripts through snapshot and undo; 10,000 is the full run")

// whole is a workspace with a real snapshot, whose turns are undone by real undos.
type whole struct {
	root, base string
	snapshot   *snapshot.Workspace
	undos      int
}

// failer is the part of testing.T and rapid.T that helpers need.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func must(t failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// newWhole opens a snapshot of a new workspace below base.
func newWhole(t failer, base string) *whole {
	t.Helper()
	w := &whole{root: filepath.Join(base, "workspace"), base: base}
	must(t, os.Mkdir(w.root, 0o755))
	var err error
	w.snapshot, err = snapshot.Open(filepath.Join(base, "snapshots"), w.root, snapshot.Limits{Segment: 64 << 10, File: 32 << 10, Bytes: 16 << 20})
	must(t, err)
	return w
}

// turn does work as a call of unknown effect, and returns its changes.
func (w *whole) turn(t failer, id string, work func()) []tree.Change {
	t.Helper()
	ctx := context.Background()
	_, err := w.snapshot.Begin(ctx, snapshot.Call{ID: id, Turn: id, Session: "s"}, snapshot.Whole)
	must(t, err)
	work()
	r, err := w.snapshot.End(ctx, id, snapshot.Whole)
	must(t, err)
	if slices.ContainsFunc(r.Gaps, func(g snapshot.Gap) bool { return g.Reason != snapshot.Moved }) {
		t.Fatalf("gaps: %v", r.Gaps)
	}
	return r.Changes
}

// undo undoes changes, the newest turn first, and returns the outcomes and the
// directory of the undo.
func (w *whole) undo(t failer, source restore.Source, paths []string, turns ...[]tree.Change) (map[string]restore.Outcome, string) {
	t.Helper()
	w.undos++
	dir := filepath.Join(w.base, fmt.Sprint("undo-", w.undos))
	u, err := restore.Plan(w.root, turns, restore.Options{Dir: dir, Source: source, Paths: paths})
	must(t, err)
	var outcomes []restore.Outcome
	own := w.keep(t, fmt.Sprint("undo ", w.undos), u.Preview(), func() {
		outcomes, err = u.Apply(context.Background())
		must(t, err)
	})
	restored := 0
	for _, o := range outcomes {
		if o.Result == restore.Restored {
			restored++
		}
	}
	if len(own) != restored {
		t.Fatalf("the undo restored %d paths, and the snapshot lists %v", restored, own)
	}
	if left := leftovers(dir); len(left) > 0 {
		t.Fatalf("left over: %q", left)
	}
	return byPath(outcomes), dir
}

// keep does an undo as a call that changes the paths that it will restore, and
// returns its changes.
func (w *whole) keep(t failer, id string, preview []restore.Outcome, work func()) []tree.Change {
	t.Helper()
	var paths []string
	for _, o := range preview {
		if o.Result == restore.Restored {
			paths = append(paths, o.Path)
		}
	}
	ctx := context.Background()
	_, err := w.snapshot.Keep(ctx, snapshot.Call{ID: id, Turn: id, Session: "s"}, paths...)
	must(t, err)
	work()
	r, err := w.snapshot.End(ctx, id, snapshot.KeptPart)
	must(t, err)
	return r.Changes
}

// redo undoes the undo in a directory.
func (w *whole) redo(t failer, dir string) map[string]restore.Outcome {
	t.Helper()
	reversed, err := restore.Reversed(dir)
	must(t, err)
	outcomes, _ := w.undo(t, restore.Sources{restore.Displaced{dir}, w.snapshot}, nil, reversed)
	for path, o := range outcomes {
		if o.Result != restore.Restored {
			t.Fatalf("redo of %q: %v", path, o)
		}
	}
	return outcomes
}

func (w *whole) world(t failer) world {
	t.Helper()
	now, err := readWorld(w.root)
	must(t, err)
	return now
}

// script is a random history of a workspace.
type script struct {
	turns  [][]tree.Change // the oldest first
	before []world         // of each turn
	quiet  bool            // nobody else changed the workspace
}

func (w *whole) script(t *rapid.T) script {
	s := script{quiet: rapid.Bool().Draw(t, "quiet")}
	w.operate(t, "at the start", 8)
	for i := range rapid.IntRange(1, 3).Draw(t, "turns") {
		if !s.quiet {
			w.operate(t, "between", 2)
		}
		s.before = append(s.before, w.world(t))
		s.turns = append(s.turns, w.turn(t, fmt.Sprint(i), func() { w.operate(t, "in the turn", 8) }))
		listed := changes(s.before[i], w.world(t))
		for n := range listed {
			listed[n].Certainty = tree.During
		}
		if !slices.Equal(s.turns[i], listed) {
			t.Fatalf("the turn lists %v, want %v", s.turns[i], listed)
		}
	}
	if !s.quiet {
		w.operate(t, "after", 3)
	}
	return s
}

// inMemory returns a temporary directory in memory, where syncs take no time. On a
// system without one, it is on disk.
func inMemory(t *testing.T) string {
	t.Helper()
	base, err := os.MkdirTemp("/dev/shm", "bellcord-test-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	return base
}

// U2, U5, U6, U10, U15: random turns of real programs are recorded by the snapshot.
// Random subsets of turns and paths are undone with its bytes: exactly the paths that
// the undo reports change, to the state before the first of the turns. If nobody
// else changed the workspace, the undo of all is the state before all. A redo is the identity.
func TestLawU2AndU5AndU10_RandomScriptsThroughTheSnapshot_EqualsTheCopies(t *testing.T) { //nolint:paralleltest // it sets a flag
	base := inMemory(t)
	number, restored, refused, exact := 0, 0, 0, 0
	must(t, flag.Set("rapid.checks", fmt.Sprint(*scripts)))
	rapid.Check(t, func(t *rapid.T) {
		number++
		dir := filepath.Join(base, fmt.Sprint(number))
		must(t, os.Mkdir(dir, 0o700))
		w := newWhole(t, dir)
		defer func() { _ = errors.Join(w.snapshot.Close(), os.RemoveAll(dir)) }()
		s := w.script(t)
		now := w.world(t)
		kept := inodes(t, w.root, now)

		all := s.quiet && rapid.Bool().Draw(t, "all turns and paths")
		var turns [][]tree.Change
		want, first := maps.Clone(now), map[string]entry{}
		for i, turn := range slices.Backward(s.turns) {
			if all || rapid.Bool().Draw(t, "undo the turn") {
				turns = append(turns, turn)
				for _, c := range turn {
					first[c.Path] = s.before[i][c.Path]
				}
			}
		}
		var paths []string
		if !all {
			paths = subset(t, append(s.before, now))
		}
		outcomes, undone := w.undo(t, w.snapshot, paths, turns...)
		for path, o := range outcomes {
			if o.Result != restore.Restored {
				refused++
				continue
			}
			restored++
			if want[path] = first[path]; want[path].kind == tree.Absent {
				delete(want, path)
			}
		}
		if all {
			exact++
			want = s.before[0]
		}
		if d := difference(w.world(t), want); d != "" {
			t.Fatalf("after the undo:\n%s", d)
		}
		for path, old := range kept {
			if outcomes[path].Result == restore.Restored {
				continue
			}
			if i, err := os.Lstat(filepath.Join(w.root, path)); err != nil || !os.SameFile(i, old) || now[path].kind == tree.File && !i.ModTime().Equal(old.ModTime()) {
				t.Fatalf("%q has another inode or time, %v", path, err)
			}
		}
		w.redo(t, undone)
		if d := difference(w.world(t), now); d != "" {
			t.Fatalf("after the redo:\n%s", d)
		}
		if left := w.turn(t, "quiet", func() {}); len(left) > 0 {
			t.Fatalf("a turn without changes lists %v", left)
		}
	})
	t.Logf("%d scripts: %d paths restored, %d left alone; %d times the whole tree was the copy before the first turn", number, restored, refused, exact)
}
