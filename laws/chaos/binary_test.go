//go:build linux

package chaos_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// change is one edit of the product's source that a mutation makes.
type change struct {
	file     string // path relative to the module's root, or to the standard library if it starts with goroot
	old, new string // the old text occurs once
}

// ownClock makes time.Now of a node differ from this machine's clock by the number
// of seconds in an environment variable. Monotonic times do not change.
var ownClock = []change{
	{goroot + "time/time.go", "	sec, nsec, mono := runtimeNow()\n", "	sec, nsec, mono := runtimeNow()\n	sec += wrongBy\n"},
	{goroot + "time/zoneinfo.go", "var utcLoc = ", `var wrongBy = func() int64 {
	switch by, _ := syscall.Getenv("` + clockEnv + `"); by {
	case "10":
		return 10
	case "-10":
		return -10
	}
	return 0
}()

var utcLoc = `},
}

const (
	goroot   = "GOROOT/src/" // start of a path in the standard library
	clockEnv = "BELLCORD_CHAOS_CLOCK"
)

// buildNode builds bellcord, with a clock that can be wrong if -clocks is set and
// with the given changes to its source, and returns the path of the binary. The
// source tree is not modified.
func buildNode(t *testing.T, changes []change) string {
	t.Helper()
	if *clocks {
		changes = slices.Concat(ownClock, changes)
	}
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

// pathOf returns the path of a file of the module or of the standard library.
func pathOf(t *testing.T, file string) string {
	t.Helper()
	if inStd, is := strings.CutPrefix(file, goroot); is {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(strings.TrimSpace(string(root)), "src", inStd)
	}
	path, err := filepath.Abs(filepath.Join("..", "..", file))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// overlay writes the changed files and the overlay file for go build.
func overlay(t *testing.T, dir string, changes []change) string {
	t.Helper()
	replace := map[string]string{}
	for _, c := range changes {
		path := pathOf(t, c.file)
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
