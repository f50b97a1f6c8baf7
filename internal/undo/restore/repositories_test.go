//go:build linux

package restore_test

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
	"syscall"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/restore"
)

// git runs git in a directory, without the configuration of the machine.
func git(t *testing.T, dir string, args ...string) error {
	t.Helper()
	settings := []string{"-c", "protocol.file.allow=always", "-c", "user.name=n", "-c", "user.email=e@localhost", "-c", "core.fsmonitor=false"}
	cmd := exec.Command("git", append(settings, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("git %v: %w: %s", args, err, out)
	}
	return nil
}

func put(t *testing.T, root, path, text string) {
	t.Helper()
	full := filepath.Join(root, path)
	must(t, os.MkdirAll(filepath.Dir(full), 0o755))
	must(t, os.WriteFile(full, []byte(text), 0o644))
}

// gitFiles returns everything that belongs to git below a directory: mode, time,
// inode and bytes.
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
		all[path] = fmt.Sprintf("%v %v %v %x", info.Mode(), info.ModTime(), inodeOf(info), sha256.Sum256(text))
		return err
	}))
	return all
}

func inodeOf(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}

// repositories creates a repository with everything that has its own files in
// .git: a submodule, worktrees (one with a rebase in progress, one sparse), a nested
// repository without commits, LFS and CRLF attributes, a stash and a merge conflict.
// It returns files of each that a turn can change.
func repositories(t *testing.T, root, library string) []string {
	t.Helper()
	do := func(dir string, args ...string) { t.Helper(); must(t, git(t, dir, args...)) }
	do(library, "init", "-q")
	put(t, library, "lib.txt", "library")
	do(library, "add", "-A")
	do(library, "commit", "-qm", "1")

	do(root, "init", "-q", "-b", "main")
	for _, setting := range []string{"filter.lfs.clean", "filter.lfs.smudge"} {
		do(root, "config", setting, "cat")
	}
	do(root, "config", "filter.lfs.required", "true")
	put(t, root, ".gitattributes", "* text=auto eol=crlf\n*.bin filter=lfs diff=lfs merge=lfs -text\n")
	put(t, root, ".gitignore", ".env\ntrees/\n")
	put(t, root, "crlf.txt", "one\r\ntwo\r\n")
	put(t, root, "model.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
	put(t, root, ".git/lfs/objects/00/00/object", "bytes of LFS")
	put(t, root, ".env", "SECRET=1")
	put(t, root, "in/file", "in")
	put(t, root, "out/file", "out")
	do(root, "submodule", "--quiet", "add", library, "module")
	do(root, "add", "-A")
	do(root, "commit", "-qm", "1")

	do(root, "worktree", "add", "-q", "trees/rebase", "-b", "other")
	do(root, "worktree", "add", "-q", "trees/sparse", "-b", "sparse")
	do(filepath.Join(root, "trees/sparse"), "sparse-checkout", "set", "in")
	put(t, root, "nested/file", "nested")
	do(filepath.Join(root, "nested"), "init", "-q")

	put(t, root, "crlf.txt", "main\r\n")
	do(root, "commit", "-qam", "2")
	put(t, root, "trees/rebase/crlf.txt", "other\r\n")
	do(filepath.Join(root, "trees/rebase"), "commit", "-qam", "3")
	if git(t, filepath.Join(root, "trees/rebase"), "rebase", "main") == nil {
		t.Fatal("the rebase has no conflict")
	}
	put(t, root, "in/file", "stashed")
	do(root, "stash", "-q")
	put(t, root, "in/file", "staged")
	do(root, "add", "in/file")
	must(t, os.Chmod(filepath.Join(root, ".env"), 0o640))
	return []string{"crlf.txt", "model.bin", ".env", ".gitattributes", "in/file", "out/file", "module/lib.txt", "nested/file", "trees/rebase/crlf.txt", "trees/sparse/in/file"}
}

// U9: everything of git is byte-identical after snapshot, undo and redo, with its
// inodes and times; also if the turn itself used git.
func TestLawU9_RealRepositories_EveryGitDirectoryIsIdentical(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("git is not installed")
		}
		t.Skip("git is not installed")
	}
	w := newWhole(t, t.TempDir())
	paths := repositories(t, w.root, t.TempDir())
	same := func(what string, before map[string]string) {
		t.Helper()
		after := gitFiles(t, w.root)
		for path := range before {
			if before[path] != after[path] {
				t.Errorf("%s changed %s:\n%s\n%s", what, path, before[path], after[path])
			}
		}
		if len(after) != len(before) || len(before) < 80 {
			t.Errorf("%s: %d files of git, before %d", what, len(after), len(before))
		}
	}
	for _, c := range []struct {
		name string
		git  func() error
	}{
		{"a turn without git", func() error { return nil }},
		{"a turn that commits", func() error { return git(t, w.root, "commit", "-qam", "by the turn") }},
		{"a turn that continues the rebase", func() error {
			tree := filepath.Join(w.root, "trees/rebase")
			if err := git(t, tree, "add", "-A"); err != nil {
				return err
			}
			return git(t, tree, "rebase", "--continue")
		}},
	} {
		start, before := gitFiles(t, w.root), w.world(t)
		turn := w.turn(t, c.name, func() {
			for _, path := range paths {
				put(t, w.root, path, c.name+"\r\nand\n")
			}
			put(t, w.root, "module/new", c.name)
			if c.name == "a turn without git" {
				same("the snapshot", start)
			}
			must(t, c.git())
		})
		own := gitFiles(t, w.root) // with what the turn did
		if c.name == "a turn without git" {
			same("the snapshot", start)
		}
		after := w.world(t)
		outcomes, dir := w.undo(t, w.snapshot, nil, turn)
		for path, o := range outcomes {
			if o.Result != restore.Restored {
				t.Errorf("%s: %q: %v", c.name, path, o)
			}
		}
		if len(outcomes) < len(paths) {
			t.Errorf("%s: only %d paths were restored", c.name, len(outcomes))
		}
		same("the undo of "+c.name, own)
		equalOutsideGit(t, "the undo of "+c.name, w.world(t), before)
		w.redo(t, dir)
		same("the redo of "+c.name, own)
		equalOutsideGit(t, "the redo of "+c.name, w.world(t), after)
		if must(t, git(t, w.root, "fsck", "--no-progress")); t.Failed() {
			return
		}
	}
}

// equalOutsideGit compares two worlds without the files of git.
func equalOutsideGit(t *testing.T, what string, got, want world) {
	t.Helper()
	for _, w := range []world{got, want} {
		maps.DeleteFunc(w, func(path string, _ entry) bool { return slices.Contains(strings.Split(path, "/"), ".git") })
	}
	if d := difference(got, want); d != "" {
		t.Errorf("%s:\n%s", what, d)
	}
}
