//go:build linux

package snapshot_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// full replaces a file of the snapshot by a device on which every write fails
// with ENOSPC.
func full(t *testing.T, path string) {
	t.Helper()
	_ = os.Remove(path)
	must(t, os.Symlink("/dev/full", path))
}

// U4, U14: without space for the bytes, the call is opened and the files are
// reported as not kept.
func TestBegin_PackCannotBeWritten_OpensTheCallAndReportsIt(t *testing.T) { //nolint:paralleltest // it sets the hook
	w, _, root := fresh(t, small4)
	write(t, root, "a", "1")
	write(t, root, "b", "12")
	first := true
	remove := snapshot.SetHook(func(point string) {
		if point == "hash" && first {
			first = false
			full(t, filepath.Join(w.Dir(), "pack-0000000000000001"))
		}
	})
	r := begin(t, w, "1", "s")
	remove()
	if r.NotKept[snapshot.DiskFull] != 2 {
		t.Errorf("report: %v", r.NotKept)
	}
	write(t, root, "a", "2")
	changes := end(t, w, "1").Changes // it has space again
	if len(changes) != 1 || changes[0].Kept || changes[0].Reason != snapshot.DiskFull.String() {
		t.Errorf("changes:\n%s", list(changes))
	}
}

// U1: if the record of the call cannot be written, Begin and Keep fail and the
// call is not open. It can be opened later.
func TestBegin_LogCannotBeWritten_FailsAndOpensNothing(t *testing.T) {
	t.Parallel()
	w, place, root := fresh(t, small4)
	write(t, root, "a", "1")
	log := filepath.Join(w.Dir(), "log-0000000000000000")
	full(t, log)
	if _, err := w.Begin(ctx, snapshot.Call{ID: "1", Session: "s"}, snapshot.Whole); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Begin returned %v", err)
	}
	if _, err := w.Keep(ctx, snapshot.Call{ID: "1", Session: "s"}, "a"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Keep returned %v", err)
	}
	must(t, os.Remove(log))
	begin(t, w, "1", "s")
	before := copyOf(t, root)
	write(t, root, "a", "2")
	must(t, os.Mkdir(filepath.Join(root, "d"), 0o755))
	after := copyOf(t, root)
	equalChanges(t, w, end(t, w, "1").Changes, changes(before, after, tree.During), before, after)
	again := open(t, place, root, small4)
	defer func() { _ = again.Close() }()
	r, err := again.Result(ctx, "1")
	must(t, err)
	equalChanges(t, again, r.Changes, changes(before, after, tree.During), before, after)
}

// U5 needs it: damaged bytes are an error, never other bytes.
func TestOpen_BytesDamagedInThePack_Fails(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, small4)
	write(t, root, "a", "some text")
	begin(t, w, "1", "s")
	must(t, os.Remove(filepath.Join(root, "a")))
	sum := end(t, w, "1").Changes[0].Before.Sum
	pack := filepath.Join(w.Dir(), "pack-0000000000000001")
	data, err := os.ReadFile(pack)
	must(t, err)
	must(t, os.WriteFile(pack, bytes.Replace(data, []byte("text"), []byte("TEXT"), 1), 0o600))
	if _, err := w.Open(sum); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("damaged bytes were returned: %v", err)
	}
}

// U14: a damaged index is an error that names the directory. Nothing of it is used.
func TestOpen_IndexDamaged_FailsAndNamesTheDirectory(t *testing.T) {
	t.Parallel()
	w, place, root := fresh(t, small4)
	write(t, root, "a", "1")
	begin(t, w, "1", "s")
	write(t, root, "a", "2")
	end(t, w, "1")
	_, err := w.Collect(ctx)
	must(t, err)
	must(t, w.Close())
	index := filepath.Join(w.Dir(), "index")
	whole, err := os.ReadFile(index)
	must(t, err)
	middle := bytes.Clone(whole)
	middle[len(middle)/2] ^= 1
	for name, data := range map[string][]byte{
		"cut": whole[:len(whole)-3], "a wrong byte": middle, "empty": {}, "another file": []byte(strings.Repeat("x", 100)),
	} {
		must(t, os.WriteFile(index, data, 0o600))
		if _, err := snapshot.Open(place, root, small4); err == nil || !strings.Contains(err.Error(), w.Dir()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file that is replaced between the walk and the read is never read through a
// link, and a named pipe does not block.
func TestScan_FileReplacedBeforeItIsRead_IsReportedAndFoundByTheNextScan(t *testing.T) { //nolint:paralleltest // it sets the hook
	secret := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(secret, []byte("outside the workspace"), 0o600))
	for name, replace := range map[string]func(path string) error{
		"link":      func(path string) error { return os.Symlink(secret, path) },
		"pipe":      func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"directory": func(path string) error { return os.Mkdir(path, 0o755) },
		"gone":      func(string) error { return nil },
		"large":     func(path string) error { return os.WriteFile(path, make([]byte, small4.File+1), 0o644) },
	} {
		w, _, root := fresh(t, small4)
		write(t, root, "a", "1")
		remove := snapshot.SetHook(func(point string) {
			if point == "hash" {
				must(t, os.Remove(filepath.Join(root, "a")))
				must(t, replace(filepath.Join(root, "a")))
			}
		})
		r, err := w.Scan(ctx, snapshot.Whole)
		remove()
		must(t, err)
		if missing := r.NotKept[snapshot.Unreadable] + r.NotKept[snapshot.TooLarge]; missing != 1 && name != "gone" {
			t.Errorf("%s: report %v", name, r.NotKept)
		}
		begin(t, w, "1", "s")
		before := copyOf(t, root)
		must(t, os.RemoveAll(filepath.Join(root, "a")))
		got := end(t, w, "1").Changes
		want := changes(before, copyOf(t, root), tree.During)
		if name == "pipe" || name == "large" {
			if len(got) != 1 || got[0].Kept || got[0].Before.Kind != want[0].Before.Kind {
				t.Errorf("%s:\n%s", name, list(got))
			}
		} else if !slices.Equal(got, want) {
			t.Errorf("%s:\n%swant:\n%s", name, list(got), list(want))
		}
	}
}

// A directory that is replaced by a link during the scan is not followed.
func TestScan_DirectoryReplacedByLink_ReadsNothingBehindIt(t *testing.T) { //nolint:paralleltest // it sets the hook
	outside := t.TempDir()
	write(t, outside, "f", "outside the workspace")
	w, _, root := fresh(t, small4)
	write(t, root, "d/f", "inside")
	for _, point := range []string{"scan", "hash"} {
		visits := 0
		remove := snapshot.SetHook(func(at string) {
			if at == point {
				if visits++; visits == 2 || point == "hash" {
					must(t, os.Rename(filepath.Join(root, "d"), filepath.Join(root, "moved")))
					must(t, os.Symlink(outside, filepath.Join(root, "d")))
				}
			}
		})
		_, err := w.Scan(ctx, snapshot.Whole)
		remove()
		must(t, err)
		for _, name := range []string{"pack-0000000000000001", "pack-0000000000000002"} {
			if data, _ := os.ReadFile(filepath.Join(w.Dir(), name)); bytes.Contains(data, []byte("outside")) {
				t.Errorf("replaced at %q: bytes behind the link were kept", point)
			}
		}
		must(t, os.Remove(filepath.Join(root, "d")))
		must(t, os.Rename(filepath.Join(root, "moved"), filepath.Join(root, "d")))
		write(t, root, "d/f", "inside "+point)
	}
}

// A write that keeps the size and sets the time of the last write back is found
// by the change time.
func TestEnd_TimeSetBackAfterAWrite_ListsTheChange(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, small4)
	write(t, root, "a", "one")
	begin(t, w, "old", "s")
	end(t, w, "old")
	info, err := os.Stat(filepath.Join(root, "a"))
	must(t, err)
	settle(t, w)
	begin(t, w, "1", "s")
	before := copyOf(t, root)
	write(t, root, "a", "two")
	must(t, os.Chtimes(filepath.Join(root, "a"), info.ModTime(), info.ModTime()))
	after := copyOf(t, root)
	equalChanges(t, w, end(t, w, "1").Changes, changes(before, after, tree.During), before, after)
}
