package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// realIndex returns the index of a repository with files and two submodules.
func realIndex(tb testing.TB, version, format string) []byte {
	tb.Helper()
	dir := tb.TempDir()
	hash := strings.Repeat("1", map[string]int{"sha1": 40, "sha256": 64}[format])
	script := "git init -q --object-format=" + format + " . && mkdir -p deep/er && for i in $(seq 50); do echo $i > deep/er/file-with-a-name-$i; done && git add . && " +
		"git update-index --index-version " + version + " --add --cacheinfo 160000," + hash + ",a --cacheinfo 160000," + hash + ",deep/module && git update-index --skip-worktree deep/er/file-with-a-name-7"
	cmd := exec.CommandContext(tb.Context(), "sh", "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	b, err := os.ReadFile(filepath.Join(dir, ".git/index"))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestGitlinks_IndexesThatGitWrites_NamesEverySubmodule(t *testing.T) {
	t.Parallel()
	for format, hash := range map[string]int{"sha1": 20, "sha256": 32} {
		for _, version := range []string{"2", "3", "4"} {
			b := realIndex(t, version, format)
			links, complete := gitlinks(b, hash)
			if !complete || !slices.Equal(links, []string{"a", "deep/module"}) {
				t.Errorf("version %s with %s: %q, complete: %t", version, format, links, complete)
			}
			if _, complete := gitlinks(b[:len(b)-1], hash); complete {
				t.Errorf("version %s with %s: a cut index is complete", version, format)
			}
		}
	}
}

func TestGitlinks_VeryManySubmodules_AreNotComplete(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var lines strings.Builder
	for n := range mostGitlinks + 1 {
		lines.WriteString("160000 " + strings.Repeat("1", 40) + "\tm" + strconv.Itoa(n) + "\n")
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "git init -q . && git update-index --add --index-info")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(lines.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b, err := os.ReadFile(dir + "/.git/index")
	if err != nil {
		t.Fatal(err)
	}
	if _, complete := gitlinks(b, 20); complete {
		t.Error("the index is complete")
	}
}

// A command can write any index.
func FuzzGitlinks(f *testing.F) {
	for format, hash := range map[string]int{"sha1": 20, "sha256": 32} {
		for _, version := range []string{"2", "4"} {
			f.Add(realIndex(f, version, format), hash)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, hash int) {
		if hash != 20 && hash != 32 {
			t.Skip()
		}
		links, complete := gitlinks(b, hash)
		if complete && len(links) > mostGitlinks {
			t.Errorf("%d submodules", len(links))
		}
	})
}
