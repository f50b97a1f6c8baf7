//go:build linux

package snapshot_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
)

// newRepository returns a workspace with a repository that has a commit.
func newRepository(t *testing.T) (*snapshot.Workspace, string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w, _, root := fresh(t, snapshot.Limits{})
	git(t, root, "init", "-q", "-b", "main")
	write(t, root, "f", "1")
	git(t, root, "add", "f")
	git(t, root, "commit", "-qm", "1")
	return w, root
}

// U4: damage in a repository is listed, as not kept; what git does to it is a gap.
func TestEnd_RepositoryDamagedOrMovedOn_IsListedOrAGap(t *testing.T) {
	t.Parallel()
	remove := func(path string) func(*testing.T, string) {
		return func(t *testing.T, root string) { must(t, os.RemoveAll(filepath.Join(root, path))) }
	}
	run := func(args ...string) func(*testing.T, string) {
		return func(t *testing.T, root string) { git(t, root, args...) }
	}
	const damaged, moved, same = "[.git not kept] []", "[] [.git]", "[] []"
	for name, c := range map[string]struct {
		do   func(*testing.T, string)
		want string
	}{
		"removed":          {remove(".git"), damaged},
		"without objects":  {remove(".git/objects"), damaged},
		"commit":           {run("commit", "-q", "--allow-empty", "-m", "2"), moved},
		"branch":           {run("branch", "other"), moved},
		"another HEAD":     {run("checkout", "-q", "-b", "other"), moved},
		"settings":         {run("config", "a.b", "c"), moved},
		"index":            {run("rm", "-q", "--cached", "f"), moved},
		"packed":           {run("gc", "-q"), moved},
		"HEAD is missing":  {remove(".git/HEAD"), moved},
		"status refreshes": {refresh, same},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, root := newRepository(t)
			begin(t, w, "1", "s")
			c.do(t, root)
			r := end(t, w, "1")
			changes, gaps := []string{}, []string{}
			for _, c := range r.Changes {
				if !c.Kept {
					c.Path += " not kept"
				}
				changes = append(changes, c.Path)
			}
			for _, g := range r.Gaps {
				gaps = append(gaps, g.Path)
			}
			if got := fmt.Sprint(changes, gaps); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// refresh makes git write its index with other times of the same files.
func refresh(t *testing.T, root string) {
	must(t, os.Chtimes(filepath.Join(root, "f"), time.Time{}, time.Now().Add(-time.Hour)))
	was, err := os.ReadFile(filepath.Join(root, ".git/index"))
	must(t, err)
	git(t, root, "update-index", "--refresh")
	if now, err := os.ReadFile(filepath.Join(root, ".git/index")); err != nil || slices.Equal(was, now) {
		t.Fatalf("the index is not written: %v", err)
	}
}

// The packs of a repository are its history, even if it has newer objects.
func TestEnd_PacksRemoved_RepositoryIsDamaged(t *testing.T) {
	t.Parallel()
	w, root := newRepository(t)
	git(t, root, "gc", "-q")
	write(t, root, "f", "2")
	git(t, root, "commit", "-qam", "2")
	begin(t, w, "1", "s")
	must(t, os.RemoveAll(filepath.Join(root, ".git/objects/pack")))
	if r := end(t, w, "1"); len(r.Changes) != 1 || r.Changes[0].Path != ".git" || r.Changes[0].Reason != snapshot.Repository.String() {
		t.Errorf("%s%v", list(r.Changes), r.Gaps)
	}
}

// The file .git of a submodule or a worktree is kept.
func TestEnd_GitFileRemoved_IsKept(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, snapshot.Limits{})
	write(t, root, "sm/.git", "gitdir: ../.git/modules/sm\n")
	begin(t, w, "1", "s")
	must(t, os.RemoveAll(filepath.Join(root, "sm")))
	r := end(t, w, "1")
	if len(r.Changes) != 2 || r.Changes[1].Path != "sm/.git" || !r.Changes[1].Kept {
		t.Errorf("%s%v", list(r.Changes), r.Gaps)
	}
}
