//go:build linux

package snapshot_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var mutations = flag.String("mutants", "", "which mutants are built: all, or parts of their names with commas between them; without it, two that the sources select")

// Without any one of its safety measures, the package breaks a law, and a test
// notices it.
func TestWorkspace_WithoutOneSafetyMeasure_TheNamedTestsFail(t *testing.T) { //nolint:paralleltest // the processes use all processors
	if testing.Short() {
		t.Skip("it builds the package for each mutant: left out under -short")
	}
	chosen := func(int) bool { return true }
	if *mutations == "" {
		chosen = someOf(t)
	}
	built, tests := 0, 0
	for i, m := range mutants {
		sources := mutated(t, m.edits)
		if !chosen(i) || *mutations != "all" && !slices.ContainsFunc(strings.Split(*mutations, ","), func(part string) bool { return strings.Contains(m.name, part) }) {
			continue
		}
		built++
		t.Run(m.name, func(t *testing.T) {
			binary := build(t, sources)
			for _, name := range m.tests {
				tests++
				notices(t, binary, name)
			}
		})
	}
	t.Logf("%d of %d mutants, %d tests run against them", built, len(mutants), tests)
}

// someOf selects two mutants by the text of the sources: a commit always has the
// same result, and a change of the sources selects others.
func someOf(t *testing.T) func(int) bool {
	t.Helper()
	files, err := filepath.Glob("*.go")
	must(t, err)
	sum := crc32.NewIEEE()
	for _, name := range files {
		text, err := os.ReadFile(name)
		must(t, err)
		_, _ = sum.Write(text)
	}
	first := int(sum.Sum32()) % len(mutants)
	return func(i int) bool { return i == first || i == (first+len(mutants)/2)%len(mutants) }
}

// notices requires that a test fails in a mutant.
func notices(t *testing.T, binary, name string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, "-test.run=^"+name+"$", "-test.failfast", "-test.timeout=40s", "-kills=20", "-rapid.checks=300", "-rapid.shrinktime=0s", "-rapid.nofailfile")
	cmd.Dir = t.TempDir()
	switch out, err := cmd.CombinedOutput(); {
	case err == nil:
		t.Errorf("%s does not notice", name)
	case !bytes.Contains(out, []byte("--- FAIL: "+name)) && !bytes.Contains(out, []byte("panic: ")):
		t.Errorf("%s did not run: %v\n%s", name, err, out)
	default:
		t.Logf("%s notices: %s", name, firstFailure(string(out)))
	}
}

// mutated returns the changed sources by the absolute paths of the originals.
func mutated(t *testing.T, edits []edit) map[string]string {
	t.Helper()
	sources := map[string]string{}
	for _, e := range edits {
		path, err := filepath.Abs(e.file)
		must(t, err)
		text, changed := sources[path]
		if !changed {
			original, err := os.ReadFile(path)
			must(t, err)
			text = string(original)
		}
		if n := strings.Count(text, e.old); n != 1 {
			t.Fatalf("%s contains %q %d times, want once: adapt the mutant", e.file, e.old, n)
		}
		sources[path] = strings.Replace(text, e.old, e.new, 1)
	}
	return sources
}

// build compiles the tests with changed sources.
func build(t *testing.T, sources map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	replaced := map[string]string{}
	for path, text := range sources {
		replaced[path] = filepath.Join(dir, filepath.Base(path))
		must(t, os.WriteFile(replaced[path], []byte(text), 0o600))
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	must(t, err)
	overlay, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "mutant.test")
	must(t, os.WriteFile(overlay, data, 0o600))
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("the mutant was not built: %v\n%s", err, out)
	}
	return binary
}

func firstFailure(out string) string {
	for line := range strings.Lines(out) {
		if strings.Contains(line, "_test.go:") || strings.HasPrefix(line, "panic: ") {
			return strings.TrimSpace(line)
		}
	}
	return "a failure without a message"
}
