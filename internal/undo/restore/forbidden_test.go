//go:build linux

package restore_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord/internal/undo/restore"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// unprivileged gives the files below a place to another user and makes the calling
// goroutine use their permissions, as a process of that user does.
func unprivileged(t *testing.T, p place) {
	t.Helper()
	if os.Getuid() != 0 {
		return // it is one already
	}
	const id = 64_321
	err := filepath.WalkDir(filepath.Dir(filepath.Dir(p.root)), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, id, id)
	})
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread() // the thread ends with the goroutine
	if _, err := unix.SetfsuidRetUid(id); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = unix.SetfsuidRetUid(0) })
}

// locked is a turn that creates a directory without write permission.
func locked() (before, after world) {
	before = world{"a": file("1"), "z": file("1")}
	after = world{"a": file("2"), "z": file("2"), "mod": dir(0o755), "mod/x": dir(0o555), "mod/x/f": file("new")}
	return before, after
}

func TestLawU5_DirectoryWithoutWritePermission_IsRefusedAndTheRestIsUndone(t *testing.T) {
	t.Parallel()
	before, after := locked()
	p := newPlace(t, after)
	unprivileged(t, p)
	u, err := restore.Plan(p.root, [][]tree.Change{changes(before, after)}, restore.Options{Dir: p.dir, Source: keep(before, after)})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]restore.Result{"a": restore.Restored, "z": restore.Restored, "mod": restore.Conflict, "mod/x": restore.Conflict, "mod/x/f": restore.Conflict}
	preview := byPath(u.Preview())
	wantResults(t, preview, want)
	if reason := preview["mod/x/f"].Reason; !strings.Contains(reason, "permission denied") {
		t.Errorf("the reason: %q", reason)
	}
	done, err := u.Apply(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantResults(t, byPath(done), want)
	back, err := restore.Reversed(p.dir)
	if err != nil || len(back) != 2 {
		t.Errorf("the redo: %v, %v", back, err)
	}
}

func TestLawU5_PermissionIsLostDuringTheUndo_PathIsRefusedAndTheRestIsUndone(t *testing.T) { //nolint:paralleltest // it sets the cut point
	before := world{"a": file("1"), "d": dir(0o755), "d/f": file("1"), "d/gone": file("1"), "z": file("1")}
	after := world{"a": file("2"), "d": dir(0o755), "d/f": file("2"), "d/new": file("2"), "z": file("2")}
	p := newPlace(t, after)
	unprivileged(t, p)
	u, err := restore.Plan(p.root, [][]tree.Change{changes(before, after)}, restore.Options{Dir: p.dir, Source: keep(before, after)})
	if err != nil {
		t.Fatal(err)
	}
	restore.SetReach(func(point string) {
		if point == "all staged" {
			_ = os.Chmod(filepath.Join(p.root, "d"), 0o555)
		}
	})
	defer restore.SetReach(func(string) {})
	done, err := u.Apply(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantResults(t, byPath(done), map[string]restore.Result{
		"a": restore.Restored, "z": restore.Restored, "d/f": restore.Conflict, "d/new": restore.Conflict, "d/gone": restore.Conflict,
	})
	if left := leftovers(p.dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
