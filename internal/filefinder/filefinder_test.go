package filefinder_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/filefinder"
)

func TestFind_Repository_ListsWhatGitDoesNotIgnore(t *testing.T) {
	t.Parallel()
	dir := tree(t, "internal/store/store.go", "internal/front/chat/status.go", "README.md", "out/app", ".gitignore")
	write(t, filepath.Join(dir, ".gitignore"), "out/\n")
	git(t, dir, "init", "-q")
	git(t, dir, "add", "README.md", "internal")
	expect(t, dir, "", 4, "README.md", ".gitignore", "internal/store/store.go", "internal/front/chat/status.go")
	expect(t, dir, "in/st", 4, "internal/store/store.go", "internal/front/chat/status.go")
	expect(t, dir, "app", 4)
}

func TestFind_NoRepository_SkipsHiddenDirectories(t *testing.T) {
	t.Parallel()
	dir := tree(t, "a.txt", ".cache/b.txt", "node_modules/c.txt", "sub/d.txt")
	expect(t, dir, "txt", 2, "a.txt", "sub/d.txt")
}

func TestFind_UpperCaseLetter_MatchesOnlyThat(t *testing.T) {
	t.Parallel()
	dir := tree(t, "Makefile", "make.go")
	expect(t, dir, "Mak", 2, "Makefile")
	expect(t, dir, "mak", 2, "make.go", "Makefile")
}

// The configuration of a repository names programs, which git runs even to list
// files: a sparse index without its tree is completed from the partial clone's remote.
func TestFind_RepositoryThatNamesPrograms_RunsNone(t *testing.T) {
	t.Parallel()
	ran := t.TempDir()
	program := func(name string) string { return "touch " + filepath.Join(ran, name) + "; false" }
	dir := tree(t, "in/a.txt", "out/b.txt", "top.txt", ".gitattributes", "new.txt", "hooks/post-index-change")
	write(t, filepath.Join(dir, ".gitattributes"), "* filter=x diff=x\n")
	write(t, filepath.Join(dir, "hooks/post-index-change"), "#!/bin/sh\n"+program("hook")+"\n")
	if err := os.Chmod(filepath.Join(dir, "hooks/post-index-change"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".git/included"), "[core]\n\tfsmonitor = "+program("included")+"\n")
	git(t, dir, "init", "-q")
	git(t, dir, "add", "in", "out", "top.txt")
	git(t, dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "x")
	git(t, dir, "sparse-checkout", "init", "--cone", "--sparse-index")
	git(t, dir, "sparse-checkout", "set", "in")
	missing := git(t, dir, "rev-parse", "HEAD:out")
	for key, value := range map[string]string{
		"core.repositoryformatversion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true", "remote.origin.url": dir,
		"remote.origin.uploadpack": program("uploadpack"), "core.fsmonitor": program("fsmonitor"), "core.hooksPath": filepath.Join(dir, "hooks"),
		"core.sshCommand": program("ssh"), "core.pager": program("pager"), "core.editor": program("editor"), "core.alternateRefsCommand": program("alternates"),
		"credential.helper": "!" + program("credential"), "gpg.program": program("gpg"), "diff.x.textconv": program("textconv"),
		"filter.x.clean": program("clean"), "filter.x.smudge": program("smudge"), "filter.x.process": program("process"),
		"alias.ls-files": "!" + program("alias"), "include.path": "included",
	} {
		git(t, dir, "config", key, value)
	}
	if err := os.Remove(filepath.Join(dir, ".git/objects", missing[:2], missing[2:])); err != nil {
		t.Fatal(err)
	}
	expect(t, dir, "a.txt", 5, "in/a.txt")
	programs, err := os.ReadDir(ran)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		t.Errorf("the program of the repository was run: %s", p.Name())
	}
}

func TestFind_ContextEnded_ReturnsItsError(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var f filefinder.Finder
	dir := tree(t, "a.txt")
	if _, _, err := f.Find(ctx, dir, "a", 8); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if found, _, err := f.Find(t.Context(), dir, "a", 8); err != nil || len(found) != 1 {
		t.Errorf("the next call returned %q, %v", found, err)
	}
}

func TestFind_MissingDirectory_IsEmpty(t *testing.T) {
	t.Parallel()
	expect(t, filepath.Join(t.TempDir(), "missing"), "a", 0)
}

func BenchmarkFind_FiftyThousandFiles(b *testing.B) {
	dir := b.TempDir()
	for i := range 500 {
		sub := filepath.Join(dir, fmt.Sprintf("package%03d/internal", i))
		if err := os.MkdirAll(sub, 0o700); err != nil {
			b.Fatal(err)
		}
		for j := range 100 {
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("source_file_%02d.go", j)), nil, 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	var f filefinder.Finder
	for b.Loop() {
		if _, _, err := f.Find(b.Context(), dir, "p42/so7", 8); err != nil {
			b.Fatal(err)
		}
	}
}

func expect(t *testing.T, dir, query string, all int, want ...string) {
	t.Helper()
	var f filefinder.Finder
	found, n, err := f.Find(t.Context(), dir, query, 8)
	if err != nil || n != all || !slices.Equal(found, want) {
		t.Errorf("Find(%q) returned %q of %d files (%v), want %q of %d", query, found, n, err, want, all)
	}
}

func tree(t *testing.T, paths ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, path := range paths {
		write(t, filepath.Join(dir, path), "")
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}
