package filefinder_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// A repository's own configuration must not run a program.
func TestFind_RepositoryWithAMonitor_DoesNotRunIt(t *testing.T) {
	t.Parallel()
	dir := tree(t, "a.txt")
	git(t, dir, "init", "-q")
	git(t, dir, "config", "core.fsmonitor", "touch "+filepath.Join(dir, "ran")+"; false")
	git(t, dir, "-c", "core.fsmonitor=false", "add", "a.txt")
	expect(t, dir, "a", 1, "a.txt")
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the program in the configuration was run")
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

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
