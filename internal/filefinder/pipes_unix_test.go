//go:build unix

package filefinder_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe without a writer, in place of a file of the repository, would be read
// forever.
func TestFind_PipesInPlaceOfGitsFiles_AreNotRead(t *testing.T) {
	t.Parallel()
	for name, pipes := range map[string][]string{
		"the directory of git": {".git"},
		"its parts":            {"data/commondir", "data/info/exclude", "sub/.gitignore"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, "sub/a.txt", "data/info/x")
			write(t, filepath.Join(dir, "linked/.git"), "gitdir: "+filepath.Join(dir, "data")+"\n")
			for _, pipe := range pipes {
				if err := syscall.Mkfifo(filepath.Join(dir, pipe), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			expect(t, dir, "a.txt", 2, "sub/a.txt")
			expect(t, filepath.Join(dir, "linked"), "", 0)
		})
	}
}
