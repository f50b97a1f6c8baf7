//go:build linux

package snapshot_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "user.name=n", "-c", "user.email=e@localhost"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

// gitFiles returns everything in .git directories and .git files below a
// directory, with times and inodes.
func gitFiles(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.Contains(path+"/", "/.git/") {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var text []byte
		if info.Mode().IsRegular() {
			text, err = os.ReadFile(path)
		}
		all[path] = fmt.Sprintf("%v %v %x", info.Mode(), info.ModTime(), sha256.Sum256(text))
		return err
	}))
	return all
}

// U9, for the snapshot: a submodule, a nested repository without commits, a
// worktree, a file with CRLF attributes and a rebase in progress.
func TestWorkspace_Repositories_GitDirectoriesStayAsTheyAreAndFilesAreKept(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	library, root := t.TempDir(), t.TempDir()
	git(t, library, "init", "-q")
	write(t, library, "lib.txt", "library")
	git(t, library, "add", "-A")
	git(t, library, "commit", "-qm", "1")
	git(t, root, "init", "-q", "-b", "main")
	write(t, root, ".gitattributes", "* text=auto eol=crlf\n")
	write(t, root, ".gitignore", ".env\nworktree/\n")
	write(t, root, "crlf.txt", "one\r\ntwo\r\n")
	write(t, root, ".env", "SECRET=1")
	git(t, root, "submodule", "--quiet", "add", library, "module")
	git(t, root, "add", "-A")
	git(t, root, "commit", "-qm", "1")
	git(t, root, "worktree", "add", "-q", "worktree", "-b", "other")
	write(t, root, "nested/file", "1")
	git(t, filepath.Join(root, "nested"), "init", "-q")
	write(t, root, "crlf.txt", "main\r\n")
	git(t, root, "commit", "-qam", "2")
	write(t, root, "worktree/crlf.txt", "other\r\n")
	git(t, filepath.Join(root, "worktree"), "commit", "-qam", "3")
	rebase := exec.Command("git", "-c", "user.name=n", "-c", "user.email=e@localhost", "rebase", "main")
	rebase.Dir = filepath.Join(root, "worktree")
	if rebase.Run() == nil {
		t.Fatal("the rebase has no conflict")
	}
	must(t, os.Chmod(filepath.Join(root, ".env"), 0o640))

	before := gitFiles(t, root)
	w := open(t, t.TempDir(), root, snapshot.Limits{})
	begin(t, w, "1", "s")
	was := copyOf(t, root)
	for _, path := range []string{"crlf.txt", ".env", "module/lib.txt", "nested/file", "worktree/crlf.txt"} {
		write(t, root, path, "changed\r\n")
	}
	now := copyOf(t, root)
	r := end(t, w, "1")
	equalChanges(t, w, r.Changes, changes(was, now, tree.During), was, now)
	if len(r.Changes) != 5 {
		t.Errorf("changes:\n%s", list(r.Changes))
	}
	_, err := w.Collect(ctx)
	must(t, err)
	must(t, w.Close())
	if after := gitFiles(t, root); !maps.Equal(before, after) {
		t.Error("a .git directory was changed")
	}
	if len(before) < 50 {
		t.Errorf("only %d files of git were compared", len(before))
	}
}

func TestEnd_ChangesInGitDirectories_AreNotListed(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, snapshot.Limits{})
	write(t, root, "sub/.git/objects/x", "1")
	write(t, root, ".git/config", "1")
	write(t, root, "a", "1")
	must(t, os.Chmod(filepath.Join(root, "sub/.git"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "sub/.git"), 0o755) })
	begin(t, w, "1", "s")
	write(t, root, ".git/config", "2")
	write(t, root, "sub/.git-not", "2")
	if r := end(t, w, "1"); len(r.Changes) != 1 || r.Changes[0].Path != "sub/.git-not" || !slices.Equal(r.Gaps, []snapshot.Gap{{Path: ".git", Reason: snapshot.Moved}}) {
		t.Errorf("changes:\n%s%v", list(r.Changes), r.Gaps)
	}
}

// The rules of a repository do not apply in a repository inside it: there, a
// directory with many files is kept.
func TestBegin_NestedRepository_HasItsOwnIgnoreRules(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, snapshot.Limits{BulkFiles: 2})
	write(t, root, ".gitignore", "out/\n")
	write(t, root, "nested/.git/HEAD", "")
	for i := range 4 {
		write(t, root, fmt.Sprint("out/", i), "1")
		write(t, root, fmt.Sprint("nested/out/", i), "1")
	}
	if r := begin(t, w, "1", "s"); r.NotKept[snapshot.Bulk] != 4 {
		t.Errorf("report: %v, want the files of one directory", r.NotKept)
	}
	write(t, root, "nested/out/0", "2")
	if r := end(t, w, "1"); len(r.Changes) != 1 || !r.Changes[0].Kept {
		t.Errorf("changes:\n%s", list(r.Changes))
	}
}
