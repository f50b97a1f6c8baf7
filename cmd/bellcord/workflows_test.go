package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A tag can be moved to another commit, a commit cannot.
func TestWorkflows_Actions_ArePinnedByCommit(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", ".github", "workflows", "*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	pinned := regexp.MustCompile(`^[a-z0-9-]+/[a-z0-9-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			_, action, uses := strings.Cut(strings.TrimSpace(line), "uses: ")
			if uses && !pinned.MatchString(action) {
				t.Errorf("%s: %s is not pinned by a commit with its version as a comment", filepath.Base(file), action)
			}
		}
	}
}

func TestDependabot_EveryModuleAndPackage_IsListed(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, ".github", "dependabot.yml"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, dir := range regexp.MustCompile(`(?:[\[ ])(/[\w./-]*)`).FindAllStringSubmatch(string(text), -1) {
		listed[dir[1]] = true
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "pi-0.74.2"):
			return filepath.SkipDir
		case d.Name() == "go.mod" || d.Name() == "package.json" || d.Name() == "Dockerfile":
			rel, err := filepath.Rel(root, filepath.Dir(path))
			if dir := "/" + strings.TrimPrefix(filepath.ToSlash(rel), "."); err != nil || !listed[dir] {
				t.Errorf("%s is not in dependabot.yml: %v", dir, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
