//go:build linux

package snapshot_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// U3: the call of Keep is open for the next process, too.
func TestKeep_ProcessDies_ItsChangesAreFound(t *testing.T) {
	t.Parallel()
	w, place, root := fresh(t, small4)
	write(t, root, "a", "1")
	_, err := w.Keep(ctx, snapshot.Call{ID: "1", Session: "s"}, "a")
	must(t, err)
	before := copyOf(t, root)
	write(t, root, "a", "2")
	after := copyOf(t, root)
	must(t, w.Close()) // as if the process had died
	next := open(t, place, root, small4)
	defer func() { _ = next.Close() }()
	if found, err := next.Found(ctx); err != nil || len(found) != 1 || found[0].ID != "1" {
		t.Fatalf("found %v, %v", found, err)
	}
	equalChanges(t, next, end(t, next, "1").Changes, changes(before, after, tree.Found), before, after)
}

// U11: a path that the call did not name is not its change, even if a scan finds
// it while the call is open.
func TestKeep_OtherPathChangesMeanwhile_IsNotItsOwn(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, small4)
	write(t, root, "a", "1")
	write(t, root, "b", "1")
	_, err := w.Scan(ctx, snapshot.Whole)
	must(t, err)
	_, err = w.Keep(ctx, snapshot.Call{ID: "1", Session: "s"}, "a")
	must(t, err)
	write(t, root, "a", "2")
	write(t, root, "b", "2")
	_, err = w.Scan(ctx, snapshot.Whole)
	must(t, err)
	equalSummary(t, "the call", end(t, w, "1").Changes, "own a")
}

// U7: bytes that only the loose changes of an open call need are kept.
func TestCollect_OpenCallWithLooseChanges_KeepsTheirBytes(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, small4)
	write(t, root, "a", strings.Repeat("the first text ", 50))
	settle(t, w)
	write(t, root, "a", "the second text")
	_, err := w.Begin(ctx, snapshot.Call{ID: "1", Session: "s", Loose: true}, snapshot.Whole)
	must(t, err)
	_, err = w.Collect(ctx)
	must(t, err)
	r := end(t, w, "1")
	equalSummary(t, "the call", r.Changes, "loose a")
	if _, err := w.Open(r.Changes[0].Before.Sum); err != nil {
		t.Error(err)
	}
}

// U12: files that a process left when it died are removed.
func TestOpen_TemporaryFilesOfADeadProcess_AreRemoved(t *testing.T) {
	t.Parallel()
	w, place, root := fresh(t, small4)
	must(t, w.Close())
	for _, name := range []string{".index-123", "log-0000000000000007", "pack-0000000000000009", "alive-dead"} {
		must(t, os.WriteFile(filepath.Join(w.Dir(), name), []byte("left"), 0o600))
	}
	next := open(t, place, root, small4)
	defer func() { _ = next.Close() }()
	noStrays(t, next, "after a crash")
}

// U13: the scan ends with its context: it reads no more files, and visits no more
// directories than those in progress.
func TestBegin_ContextEndsDuringTheScan_StopsTheScan(t *testing.T) { //nolint:paralleltest // it sets the hook
	for _, point := range []string{"scan", "hash"} {
		w, _, root := fresh(t, small4)
		for i := range 20 {
			write(t, root, fmt.Sprint(i, "/f"), fmt.Sprint(i))
		}
		stopped, cancel := context.WithCancel(ctx)
		visits := 0
		remove := snapshot.SetHook(func(at string) {
			if at == point {
				visits++
				cancel()
			}
		})
		_, err := w.Begin(stopped, snapshot.Call{ID: "1"}, snapshot.Whole)
		remove()
		if !errors.Is(err, context.Canceled) || visits > 1 {
			t.Errorf("stopped at the first %q: %d visits, %v", point, visits, err)
		}
	}
}

// A call that replaces a file or a link by a directory, or a directory by a file,
// names the path and the paths below it, as an undo does.
func TestKeep_CallReplacesAPathByAnotherKind_ListsAllPaths(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(path string) error{
		"file": func(path string) error { return os.WriteFile(path, []byte("1"), 0o644) },
		"link": func(path string) error { return os.Symlink("nowhere", path) },
		"directory": func(path string) error {
			return errors.Join(os.Mkdir(path, 0o755), os.WriteFile(path+"/f", nil, 0o644))
		},
	}
	for from, make := range kinds {
		for to, replace := range kinds {
			if from == to {
				continue
			}
			w, _, root := fresh(t, small4)
			must(t, make(filepath.Join(root, "a")))
			_, err := w.Scan(ctx, snapshot.Whole)
			must(t, err)
			_, err = w.Keep(ctx, snapshot.Call{ID: "1", Session: "s"}, "a", "a/f")
			must(t, err)
			before := copyOf(t, root)
			must(t, os.RemoveAll(filepath.Join(root, "a")))
			must(t, replace(filepath.Join(root, "a")))
			after := copyOf(t, root)
			equalChanges(t, w, end(t, w, "1").Changes, changes(before, after, tree.Own), before, after)
		}
	}
}

// U2: the first scan runs while a call of a file tool is open, which was observed
// before it.
func TestLawU2_FirstScanDuringAKeptCall_CallHasItsChanges(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, small4)
	write(t, root, "own", "1")
	write(t, root, "dir/own", "1")
	_, err := w.Keep(ctx, snapshot.Call{ID: "1", Turn: "1", Session: "s"}, "own", "dir/own", "new/own")
	must(t, err)
	for _, name := range []string{"own", "dir/own", "new/own"} {
		write(t, root, name, "2, changed")
	}
	_, err = w.Scan(ctx, snapshot.Whole)
	must(t, err)
	equalSummary(t, "the call", end(t, w, "1").Changes, "own dir/own", "own new", "own new/own", "own own")
}
