//go:build linux

package chaos_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// change is one edit of the product's source that a mutation makes.
type change struct {
	file     string // path relative to the module's root
	old, new string // the old text occurs once
}

// buildNode builds bellcord, with changes to its source if there are any, and
// returns the path of the binary. The source tree is not modified.
func buildNode(t *testing.T, changes []change) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "bellcord")
	args := []string{"build", "-ldflags", "-s -w", "-o", program} // links faster
	if *raceNodes {
		args = append(args, "-race")
	}
	if len(changes) > 0 {
		args = append(args, "-overlay", overlay(t, dir, changes))
	}
	build := exec.Command("go", append(args, "../../cmd/bellcord")...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building a node: %v: %s", err, out)
	}
	return program
}

// overlay writes the changed files and the overlay file for go build.
func overlay(t *testing.T, dir string, changes []change) string {
	t.Helper()
	replace := map[string]string{}
	for _, c := range changes {
		path, err := filepath.Abs(filepath.Join("..", "..", c.file))
		if err != nil {
			t.Fatal(err)
		}
		from := path
		if changed, again := replace[path]; again {
			from = changed
		}
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), c.old); n != 1 {
			t.Fatalf("the mutation no longer applies: %s has %d times\n%s", c.file, n, c.old)
		}
		changed := filepath.Join(dir, strings.ReplaceAll(c.file, "/", "_"))
		if err := os.WriteFile(changed, []byte(strings.Replace(string(text), c.old, c.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[path] = changed
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, list, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
