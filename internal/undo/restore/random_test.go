//go:build linux

package restore_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/restore"
	"github.com/bellcord/bellcord/internal/undo/tree"
	"pgregory.net/rapid"
)

var cases = flag.Int("cases", 60, "random change sets; 10,000 is the full run")

// drawWorld draws a world of few names, so that paths change their kind often.
func drawWorld(t *rapid.T, name string) world {
	names := []string{"a", "b", "line\nbreak", "bad\xff"}
	w := world{}
	var fill func(dir string, depth int)
	fill = func(in string, depth int) {
		for _, n := range names {
			at := path.Join(in, n)
			kinds := 4
			if depth > 1 {
				kinds = 3
			}
			switch rapid.IntRange(0, kinds).Draw(t, name+" "+at) {
			case 0:
			case 1, 2:
				mode := rapid.SampledFrom([]os.FileMode{0o644, 0o600, 0o755, 0o755 | os.ModeSetgid}).Draw(t, "mode")
				w[at] = entry{tree.File, mode, rapid.SampledFrom([]string{"", "x", "y", "longer\n"}).Draw(t, "text")}
			case 3:
				w[at] = link(rapid.SampledFrom([]string{"a", "..", "/nowhere"}).Draw(t, "target"))
			case 4:
				w[at] = dir(rapid.SampledFrom([]os.FileMode{0o755, 0o700, 0o555}).Draw(t, "mode"))
				fill(at, depth+1)
			}
		}
	}
	fill("", 0)
	return w
}

// drawEdits changes the texts of some files, as a person would after the turn.
func drawEdits(t *rapid.T, w world) (edited world, paths []string) {
	edited = maps.Clone(w)
	for _, at := range slices.Sorted(maps.Keys(w)) {
		if e := w[at]; e.kind == tree.File && rapid.IntRange(0, 7).Draw(t, "edit "+at) == 0 {
			e.text += "edited"
			edited[at] = e
			paths = append(paths, at)
		}
	}
	return edited, paths
}

// U5, U6, U10, U15: for random turns, random edits after them and random subsets, an
// undo changes exactly the paths that it reports as restored, to their earlier
// state. A redo with the bytes in the trash is the identity.
func TestLawU5AndU10AndU15_RandomChangesAndSubsets_EqualsTheMap(t *testing.T) {
	t.Parallel()
	base := inMemory(t)
	number, restored, refused := 0, 0, 0
	check := func(t *rapid.T) {
		number++
		worlds := []world{drawWorld(t, "first"), drawWorld(t, "second")}
		if rapid.Bool().Draw(t, "two turns") {
			worlds = append(worlds, drawWorld(t, "third"))
		}
		now, edits := drawEdits(t, worlds[len(worlds)-1])
		var turns [][]tree.Change
		for i := len(worlds) - 1; i > 0; i-- {
			turns = append(turns, changes(worlds[i-1], worlds[i]))
		}
		paths := subset(t, worlds)
		p := place{root: filepath.Join(base, fmt.Sprint(number)), dir: filepath.Join(base, fmt.Sprint(number, "-undo"))}
		if err := os.Mkdir(p.root, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := now.build(p.root); err != nil {
			t.Fatal(err)
		}
		kept := inodes(t, p.root, now)

		source := keep(worlds[:len(worlds)-1]...)
		want := maps.Clone(now)
		undone := map[string]bool{}
		for at, o := range undo(t, p, restore.Options{Source: source, Paths: paths}, turns...) {
			if o.Result != restore.Restored {
				refused++
				continue
			}
			restored++
			undone[at] = true
			if want[at] = worlds[0][at]; want[at].kind == tree.Absent {
				delete(want, at)
			}
		}
		compare(t, p, want)
		if len(paths) == 0 && len(edits) == 0 {
			compare(t, p, worlds[0])
		}
		for _, at := range edits {
			if undone[at] {
				t.Fatalf("the edited path %q was changed", at)
			}
		}
		for at, old := range kept {
			if i, err := os.Lstat(filepath.Join(p.root, at)); !undone[at] && (err != nil || !os.SameFile(i, old) || now[at].kind == tree.File && !i.ModTime().Equal(old.ModTime())) {
				t.Fatalf("%q has another inode or time, %v", at, err)
			}
		}
		redo(t, p, now)
		_ = os.RemoveAll(p.root)
		_ = os.RemoveAll(p.dir)
	}
	if err := flag.Set("rapid.checks", fmt.Sprint(*cases)); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, check)
	t.Logf("%d cases: %d paths restored, %d left alone", number, restored, refused)
}

// subset draws some paths, or none for all.
func subset(t *rapid.T, worlds []world) []string {
	names := world{}
	for _, w := range worlds {
		maps.Copy(names, w)
	}
	if rapid.Bool().Draw(t, "all") {
		return nil
	}
	var paths []string
	for _, at := range slices.Sorted(maps.Keys(names)) {
		if rapid.IntRange(0, 3).Draw(t, "select "+at) == 0 {
			paths = append(paths, at)
		}
	}
	return paths
}

// redo undoes the undo, with bytes from its trash alone.
func redo(t *rapid.T, p place, want world) {
	reversed, err := restore.Reversed(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	second := place{root: p.root, dir: p.dir + "-redo"}
	for at, o := range undo(t, second, restore.Options{Source: restore.Displaced{p.dir}}, reversed) {
		if o.Result != restore.Restored {
			t.Fatalf("redo of %q: %v", at, o)
		}
	}
	compare(t, p, want)
	for _, dir := range []string{p.dir, second.dir} {
		if left := leftovers(dir); len(left) > 0 {
			t.Fatalf("left over: %q", left)
		}
		if late, err := restore.Collect(restore.Options{Dir: dir}); err != nil || len(late) > 0 {
			t.Fatalf("collect: %v, %v", late, err)
		}
	}
}

func undo(t *rapid.T, p place, options restore.Options, turns ...[]tree.Change) map[string]restore.Outcome {
	options.Dir = p.dir
	u, err := restore.Plan(p.root, turns, options)
	if err != nil {
		t.Fatal(err)
	}
	preview := byPath(u.Preview())
	outcomes, err := u.Apply(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if preview[o.Path] != o {
			t.Fatalf("the preview is %v, the outcome %v", preview[o.Path], o)
		}
	}
	return byPath(outcomes)
}

func compare(t *rapid.T, p place, want world) {
	got, err := readWorld(p.root)
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(got, want); d != "" {
		t.Fatalf("the workspace differs:\n%s", d)
	}
}

func inodes(t *rapid.T, root string, w world) map[string]os.FileInfo {
	all := map[string]os.FileInfo{}
	for at := range w {
		i, err := os.Lstat(filepath.Join(root, at))
		if err != nil {
			t.Fatal(err)
		}
		all[at] = i
	}
	return all
}
