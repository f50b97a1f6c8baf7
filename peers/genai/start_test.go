package genai_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

const starts = 101

func TestSDK_Import_SlowsEveryStart(t *testing.T) {
	with, without := built(t, "with"), built(t, "without")
	var slow, fast []time.Duration
	for range starts { // alternately, so that both have the same noise
		slow = append(slow, start(t, with))
		fast = append(fast, start(t, without))
	}
	cost := median(slow) - median(fast)
	const mega = 1 << 20
	size := float64(bytesOf(t, with)-bytesOf(t, without)) / mega
	fmt.Printf("importing genai costs %.1f ms and %.1f MB at every start (medians of %d starts: %.1f ms with it, %.1f ms without)\n",
		ms(cost), size, starts, ms(median(slow)), ms(median(fast)))
	if size < 5 {
		t.Error("the SDK seems to have lost weight: reconsider")
	}
}

// built builds one of the programs in testdata with Bellcord's build flags.
func built(t *testing.T, name string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), name)
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, "./testdata/"+name)
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, output)
	}
	return out
}

func start(t *testing.T, program string) time.Duration {
	t.Helper()
	began := time.Now()
	if err := exec.CommandContext(t.Context(), program).Run(); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

func bytesOf(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func median(of []time.Duration) time.Duration {
	slices.Sort(of)
	return of[len(of)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
