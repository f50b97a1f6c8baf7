//go:build linux

package restore_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/restore"
)

var edits = flag.Int("edits", 20, "undos with programs that write meanwhile; 3,000 is the full run")

// editors are the ways in which programs write files. Each opens a path and returns
// the function that writes.
var editors = map[string]func(path string) func(text string) error{
	"atomic save": func(path string) func(string) error {
		return func(text string) error {
			temporary := path + "~"
			if err := os.WriteFile(temporary, []byte(text), 0o644); err != nil {
				return err
			}
			return os.Rename(temporary, path)
		}
	},
	"in place": func(path string) func(string) error {
		return func(text string) error { return os.WriteFile(path, []byte(text), 0o644) }
	},
	"held open": func(path string) func(string) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil { // a deleted file: opened when it is back
			return func(text string) error { return os.WriteFile(path, []byte(text), 0o644) }
		}
		return func(text string) error {
			_, err := f.WriteAt([]byte(text), 0)
			return err
		}
	},
}

// edited is a turn with a changed, a created and a deleted file.
func edited() (before, after world) {
	before = world{"changed": file("the old text"), "deleted": file("the deleted text"), "other": file("old")}
	after = world{"changed": file("the new text"), "created": file("the created text"), "other": file("new")}
	return before, after
}

// locate reports whether a text is in the file at the path, and whether in the trash.
func (p place) locate(t testing.TB, path, text string) (atPath, inTrash bool) {
	t.Helper()
	now, _ := os.ReadFile(filepath.Join(p.root, path))
	names, _ := filepath.Glob(filepath.Join(p.dir, "files", "*"))
	for _, name := range names {
		found, _ := os.ReadFile(name)
		inTrash = inTrash || strings.Contains(string(found), text)
	}
	return strings.Contains(string(now), text), inTrash
}

// wantKept requires that an edit is at its path, or in the trash and reported there.
func (p place) wantKept(t testing.TB, path, text string, outcomes map[string]restore.Outcome) (onlyInTrash bool) {
	t.Helper()
	atPath, inTrash := p.locate(t, path, text)
	switch {
	case atPath:
		return false
	case !inTrash:
		t.Errorf("%q: the edit %q is lost (%v)", path, text, outcomes[path])
	case outcomes[path].Result != restore.Late:
		t.Errorf("%q: the edit %q is in the trash and was not reported (%v)", path, text, outcomes[path])
	}
	return true
}

// wantCollected is wantKept for an edit after the second look: Collect reports it.
func (p place) wantCollected(t testing.TB, path, text string, outcomes map[string]restore.Outcome) {
	t.Helper()
	late, err := restore.Collect(restore.Options{Dir: p.dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range late {
		outcomes[o.Path] = o
	}
	p.wantKept(t, path, text, outcomes)
}

// U6, U7: a program that writes at any one point of an undo, in any way, loses
// nothing. What it wrote is at the path, or it is reported in the trash.
func TestLawU6AndU7_ProgramWritesAtAnyPoint_KeepsItsBytes(t *testing.T) { //nolint:paralleltest // it sets the hook
	before, after := edited()
	for kind, open := range editors {
		for _, path := range []string{"changed", "created", "deleted"} {
			t.Run(kind+" of "+path, func(t *testing.T) {
				last := 1 << 20
				for at := 1; at <= last; at++ {
					p := newPlace(t, after)
					write := open(filepath.Join(p.root, path))
					reached, written, looked := 0, false, false
					edit := func() {
						if err := write("an edit"); err != nil {
							t.Fatal(err)
						}
						written = true
					}
					restore.SetReach(func(point string) {
						if reached++; !written {
							looked = looked || point == "looked again"
						}
						if reached == at {
							edit()
						}
					})
					outcomes := p.undo(t, keep(before), changes(before, after))
					restore.SetReach(func(string) {})
					if !written {
						last = at // the edit comes after the undo
						edit()
					}
					if looked {
						p.wantCollected(t, path, "an edit", outcomes)
					} else {
						p.wantKept(t, path, "an edit", outcomes)
					}
					if r := outcomes["other"].Result; r != restore.Restored {
						t.Errorf("another path is %q", r)
					}
					if t.Failed() {
						t.Fatalf("the edit was made at point %d", at)
					}
				}
				t.Logf("%d points", last)
			})
		}
	}
}

// U6: an edit during the undo stays at the path if the program saves after the
// comparison: the undo takes it out, reads it and puts it back.
func TestUndo_SaveBetweenComparisonAndExchange_IsPutBack(t *testing.T) { //nolint:paralleltest // it sets the hook
	before, after := edited()
	for _, path := range []string{"changed", "created"} {
		for _, point := range []string{"compared", "exchanged", "taken"} {
			p := newPlace(t, after)
			save := editors["held open"](filepath.Join(p.root, path))
			saved := false
			restore.SetReach(func(reached string) {
				if reached == point && !saved {
					saved = true
					if err := save("an edit"); err != nil {
						t.Error(err)
					}
				}
			})
			outcomes := p.undo(t, keep(before), changes(before, after))
			restore.SetReach(func(string) {})
			if atPath, _ := p.locate(t, path, "an edit"); !atPath || outcomes[path].Result != restore.Conflict {
				t.Errorf("%s, written at %q: at the path %v, %v; want a conflict", path, point, atPath, outcomes[path])
			}
		}
	}
}

// U6: of two saves during one undo, the later one stays at the path.
func TestUndo_SavedAgainWhilePuttingBack_KeepsTheLaterSave(t *testing.T) { //nolint:paralleltest // it sets the hook
	before, after := edited()
	p := newPlace(t, after)
	save := editors["atomic save"](filepath.Join(p.root, "changed"))
	restore.SetReach(func(reached string) {
		text := map[string]string{"compared": "first save", "putting back": "second save"}[reached]
		if _, err := os.Lstat(filepath.Join(p.root, "created")); err == nil || text == "" {
			return // not the step of this path
		}
		if now, _ := os.ReadFile(filepath.Join(p.root, "changed")); strings.Contains(string(now), text) || (reached == "compared" && string(now) != "the new text") {
			return
		}
		if _, inTrash := p.locate(t, "changed", text); inTrash {
			return
		}
		if err := save(text); err != nil {
			t.Error(err)
		}
	})
	outcomes := p.undo(t, keep(before), changes(before, after))
	restore.SetReach(func(string) {})
	if atPath, _ := p.locate(t, "changed", "second save"); !atPath {
		t.Errorf("the later save is not at the path: %v", outcomes["changed"])
	}
	if !p.wantKept(t, "changed", "first save", outcomes) {
		t.Error("the first save is at the path")
	}
}

// U6, U7, U8: programs write while an undo is killed and resumed up to three times.
// None of their bytes is lost, and other paths are restored.
func TestLawU7AndU8_ProgramsWriteDuringKilledUndos_LosesNoEdit(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(21, 2))
	total, trash, kills := 0, 0, 0
	for n := range *edits {
		before, after := world{}, world{}
		for i := range 12 {
			path := fmt.Sprintf("f%02d", i)
			if i%3 != 1 {
				before[path] = file("old " + path)
			}
			if i%3 != 2 {
				after[path] = file("new " + path + strings.Repeat("-", random.IntN(9000)))
			}
		}
		p := newPlace(t, after)
		p.prepare(t, keep(before), changes(before, after))
		inTrash, killed := meanwhile(t, p, random, before)
		if total, trash, kills = total+6, trash+inTrash, kills+killed; t.Failed() {
			t.Fatalf("run %d", n)
		}
		_ = os.RemoveAll(filepath.Dir(p.root))
	}
	t.Logf("%d undos with %d edited paths, killed %d times: 0 edits lost, %d only in the trash", *edits, total, kills, trash)
}

// meanwhile edits the paths f00 to f05 while a child undoes the turn, each when the
// child reaches a random point. It returns the number of edits that are only in the
// trash.
func meanwhile(t *testing.T, p place, random *rand.Rand, before world) (inTrash, killed int) {
	t.Helper()
	kinds := []string{"atomic save", "in place", "held open"}
	starts := map[int][]chan struct{}{}
	var wg sync.WaitGroup
	all := make(chan struct{})
	edit := map[string]string{}
	for i := range 6 {
		path := fmt.Sprintf("f%02d", i)
		text := fmt.Sprintf("edit of %s %d", path, random.Uint64())
		edit[path] = text
		write := editors[kinds[random.IntN(len(kinds))]](filepath.Join(p.root, path))
		start := make(chan struct{})
		point := random.IntN(110)
		starts[point] = append(starts[point], start)
		wg.Go(func() {
			select {
			case <-start:
			case <-all:
			}
			if err := write(text); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		})
	}
	reached := 0
	step := func(string) {
		reached++
		for _, start := range starts[reached] {
			close(start)
		}
	}
	for range 3 {
		if _, was := p.run(t, 1+random.IntN(35), step); was {
			killed++
		}
	}
	p.run(t, 0, step)
	close(all)
	wg.Wait()
	outcomes, err := restore.Resume(t.Context(), restore.Options{Dir: p.dir})
	if err != nil {
		t.Fatal(err)
	}
	told := byPath(outcomes)
	var displaced []string
	for path, text := range edit {
		if atPath, isInTrash := p.locate(t, path, text); !atPath {
			if displaced = append(displaced, path); !isInTrash {
				t.Errorf("%s: the edit is lost: %v", path, told[path])
			}
		}
	}
	late, err := restore.Collect(restore.Options{Dir: p.dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range late {
		told[o.Path] = o
	}
	for _, path := range displaced {
		if told[path].Result != restore.Late {
			t.Errorf("%s: the edit is not at the path and was not reported: %v", path, told[path])
		}
	}
	now, err := readWorld(p.root)
	if err != nil {
		t.Fatal(err)
	}
	for i := 6; i < 12; i++ {
		if path := fmt.Sprintf("f%02d", i); now[path] != before[path] {
			t.Errorf("%s is %v, want %v", path, now[path], before[path])
		}
	}
	return len(displaced), killed
}
