package sqlite_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var chainCost = flag.Int("chain-cost", 0, "number of runs of BenchmarkCommit with and without the chain, in turn; 0 measures nothing")

// The cost of the chain of hashes on durable events. The other side is the same
// source with an empty hash in every row. It is a measurement without a bound:
//
//	go test -run TestChain_Cost -v ./store/sqlite -chain-cost 5
func TestChain_Cost_IsPrinted(t *testing.T) {
	if *chainCost == 0 {
		t.Skip("measured with -chain-cost N")
	}
	dir := t.TempDir()
	with, without := filepath.Join(dir, "with"), filepath.Join(dir, "without")
	buildTest(t, with)
	buildTest(t, without, "-overlay", withoutHashes(t, dir))
	var chained, plain []float64
	for range *chainCost {
		plain = append(plain, appendTime(t, without))
		chained = append(chained, appendTime(t, with))
	}
	slices.Sort(plain)
	slices.Sort(chained)
	before, after := plain[len(plain)/2], chained[len(chained)/2]
	t.Logf("µs for an append, medians of %d: without hashes %.1f (%.1f to %.1f), with hashes %.1f (%.1f to %.1f), %+.1f %%", *chainCost,
		before, plain[0], plain[len(plain)-1], after, chained[0], chained[len(chained)-1], 100*(after/before-1))
}

func buildTest(t *testing.T, program string, flags ...string) {
	t.Helper()
	args := append([]string{"test", "-c", "-o", program}, flags...)
	if out, err := exec.CommandContext(t.Context(), "go", append(args, ".")...).CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v: %s", args, err, out)
	}
}

// withoutHashes returns an overlay for the go command in which appends compute no
// hash and write an empty one.
func withoutHashes(t *testing.T, dir string) string {
	t.Helper()
	source, err := os.ReadFile("appends.go")
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for old, replacement := range map[string]string{
		"last.Hash = stored.HashAfter(last.Hash)": "",
		"string(data), hashes[i][:])":             "string(data), []byte{})",
	} {
		if strings.Count(text, old) != 1 {
			t.Fatalf("appends.go does not contain %q once: change this test with it", old)
		}
		text = strings.Replace(text, old, replacement, 1)
	}
	changed, list := filepath.Join(dir, "appends.go"), filepath.Join(dir, "overlay.json")
	path, err := filepath.Abs("appends.go")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{changed: []byte(text), list: overlay} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

var microseconds = regexp.MustCompile(`([\d.]+) µs/append`)

// appendTime runs BenchmarkCommit of a test binary and returns the microseconds for
// one append.
func appendTime(t *testing.T, program string) float64 {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, "-test.run", "-", "-test.bench", "BenchmarkCommit", "-test.benchtime", "2s").CombinedOutput()
	match := microseconds.FindSubmatch(out)
	if err != nil || match == nil {
		t.Fatalf("BenchmarkCommit: %v: %s", err, out)
	}
	value, err := strconv.ParseFloat(string(match[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
