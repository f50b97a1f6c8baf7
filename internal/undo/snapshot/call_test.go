package snapshot_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

func TestBegin_ChangesSinceTheLastScan_BelongToNobodyUnlessLooseIsSet(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, snapshot.Limits{})
	write(t, root, "a", "1")
	_, err := w.Scan(ctx, snapshot.Whole)
	must(t, err)
	write(t, root, "a", "2")
	begin(t, w, "1", "s")
	write(t, root, "b", "1")
	if r := end(t, w, "1"); len(r.Changes) != 1 || r.Changes[0].Path != "b" {
		t.Errorf("without Loose:\n%s", list(r.Changes))
	}
	write(t, root, "a", "3")
	write(t, root, "c", "3")
	_, err = w.Begin(ctx, snapshot.Call{ID: "2", Session: "s", Loose: true}, snapshot.Whole)
	must(t, err)
	write(t, root, "c", "4")
	r := end(t, w, "2")
	if len(r.Changes) != 2 || r.Changes[0].Certainty != tree.Loose || r.Changes[0].Path != "a" || !r.Changes[0].Kept || r.Changes[1].Certainty != tree.During {
		t.Errorf("with Loose:\n%s", list(r.Changes))
	}
}

func TestProgress_AfterAScan_CountsFilesAndBytes(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, snapshot.Limits{})
	write(t, root, "a", "1")
	write(t, root, "b", "23")
	_, err := w.Scan(ctx, snapshot.Whole)
	must(t, err)
	if got := w.Progress(); got != (snapshot.Progress{Files: 2, Bytes: 3}) {
		t.Errorf("%+v", got)
	}
}

func TestEnd_TrashOfAnUndo_IsNotAChange(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, snapshot.Limits{})
	begin(t, w, "1", "s")
	write(t, root, tree.TrashName+"/1/files/0.0.out", "displaced")
	write(t, root, "sub/"+tree.TrashName, "a file of the user with the same name")
	if r := end(t, w, "1"); len(r.Changes) != 2 || r.Changes[0].Path != "sub" {
		t.Errorf("changes:\n%s", list(r.Changes))
	}
}

func TestKeep_PathsOfTheCall_AreOwnAndNeedNoScan(t *testing.T) {
	t.Parallel()
	for _, scanned := range []bool{false, true} {
		w, _, root := fresh(t, snapshot.Limits{})
		write(t, root, "x/changed", "1")
		write(t, root, "x/not of the call", "1")
		if scanned {
			_, err := w.Scan(ctx, snapshot.Whole)
			must(t, err)
		}
		before := copyOf(t, root)
		_, err := w.Keep(ctx, snapshot.Call{ID: "1", Session: "s"}, "x/changed", "new/dir/created", "x/untouched")
		must(t, err)
		write(t, root, "x/changed", "2")
		write(t, root, "new/dir/created", "2")
		after := copyOf(t, root)
		write(t, root, "x/not of the call", "2")
		r := end(t, w, "1")
		equalChanges(t, w, r.Changes, changes(before, after, tree.Own), before, after)
	}
}

func TestKeep_CallOfAnotherSessionIsOpen_IsDisputed(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, snapshot.Limits{})
	write(t, root, "a", "1")
	begin(t, w, "scan", "other")
	_, err := w.Keep(ctx, snapshot.Call{ID: "exact", Session: "s"}, "a")
	must(t, err)
	write(t, root, "a", "2")
	for _, id := range []string{"exact", "scan"} {
		r := end(t, w, id)
		if len(r.Changes) != 1 || r.Changes[0].Certainty != tree.Disputed {
			t.Errorf("call %s:\n%swant a disputed change", id, list(r.Changes))
		}
	}
}

func TestKeep_PathOutsideTheWorkspace_Fails(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, snapshot.Limits{})
	must(t, os.Symlink(t.TempDir(), filepath.Join(root, "link")))
	write(t, root, "file", "1")
	for _, path := range []string{"../x", "/etc/passwd", ".git/config", "sub/.git/config", "link/x", "file/x", "."} {
		if _, err := w.Keep(ctx, snapshot.Call{ID: path}, path); err == nil {
			t.Errorf("%q was kept", path)
		}
	}
}

func TestBegin_ContextEndsAtAnyPoint_ReturnsAndTheNextCallIsExact(t *testing.T) {
	for _, point := range []string{"scan", "hash", "pack written", "pack synced", "log written", "before opened"} {
		for after := range 4 {
			w, place, root := fresh(t, small4)
			for _, name := range []string{"a", "b", "c/d", "c/e", "c/f"} {
				write(t, root, name, name+string(make([]byte, 2000)))
			}
			inner, cancel := context.WithCancel(ctx)
			left := after
			remove := snapshot.SetHook(func(at string) {
				if at == point {
					if left--; left < 0 {
						cancel()
					}
				}
			})
			_, err := w.Begin(inner, snapshot.Call{ID: "stopped"}, snapshot.Whole)
			remove()
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if err == nil { // opened before the context ended: everything must be kept
				before := copyOf(t, root)
				for _, name := range []string{"a", "b", "c/d"} {
					must(t, os.Remove(filepath.Join(root, name)))
				}
				after := copyOf(t, root)
				equalChanges(t, w, end(t, w, "stopped").Changes, changes(before, after, tree.During), before, after)
			}
			cancel()
			again := open(t, place, root, small4)
			begin(t, again, "next", "s")
			before := copyOf(t, root)
			write(t, root, "c/e", "new")
			after := copyOf(t, root)
			equalChanges(t, again, end(t, again, "next").Changes, changes(before, after, tree.During), before, after)
			must(t, again.Close())
		}
	}
}

// small4 has one worker, so that points are reached in a fixed order.
var small4 = snapshot.Limits{Segment: 4 << 10, File: 4 << 10, Bytes: 1 << 20, Workers: 1}

func TestEnd_Cancelled_CanBeCalledAgain(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, snapshot.Limits{})
	begin(t, w, "1", "s")
	write(t, root, "a", "1")
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := w.End(stopped, "1", snapshot.Whole); !errors.Is(err, context.Canceled) {
		t.Errorf("End with a context that has ended: %v", err)
	}
	for range 2 { // the second time, from the record
		if r := end(t, w, "1"); len(r.Changes) != 1 {
			t.Errorf("changes:\n%s", list(r.Changes))
		}
	}
	if _, err := w.Begin(ctx, snapshot.Call{ID: "1"}, snapshot.Whole); !errors.Is(err, snapshot.ErrExists) {
		t.Errorf("a second call with the same ID: %v", err)
	}
	if _, err := w.End(ctx, "2", snapshot.Whole); !errors.Is(err, snapshot.ErrUnknown) {
		t.Errorf("an unknown call: %v", err)
	}
}

func TestOpen_PlaceInWorkspaceOrGit_Fails(t *testing.T) {
	t.Parallel()
	root, elsewhere := t.TempDir(), t.TempDir()
	must(t, os.Symlink(root, filepath.Join(elsewhere, "link")))
	for _, place := range []string{root, filepath.Join(root, "a/b"), filepath.Join(elsewhere, ".git/undo"), filepath.Join(elsewhere, "link/undo")} {
		if _, err := snapshot.Open(place, root, snapshot.Limits{}); !errors.Is(err, snapshot.ErrPlace) {
			t.Errorf("%s: %v", place, err)
		}
	}
	if left, _ := os.ReadDir(root); len(left) > 0 {
		t.Errorf("files were created in the workspace: %v", left)
	}
}

func TestOpen_PathWithALink_IsRefused(t *testing.T) {
	t.Parallel()
	_, place, root := fresh(t, snapshot.Limits{})
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(root, link))
	if _, err := snapshot.Open(place, link, snapshot.Limits{}); !errors.Is(err, realdir.ErrReplaced) {
		t.Errorf("%v", err)
	}
}

func TestOpen_OneDirectoryTwice_SharesThePrivateSnapshot(t *testing.T) {
	t.Parallel()
	w, place, root := fresh(t, snapshot.Limits{})
	second := open(t, place, root, snapshot.Limits{})
	defer func() { _ = second.Close() }()
	if w.Dir() != second.Dir() {
		t.Errorf("%s and %s", w.Dir(), second.Dir())
	}
	write(t, root, "secret", "1")
	begin(t, w, "1", "s")
	must(t, filepath.Walk(w.Dir(), func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	}))
}
