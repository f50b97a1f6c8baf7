package snapshot_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
)

// bigTree creates 60,000 files of 1.5 GB: 20,000 of 300 MB that git tracks, and
// 40,000 of 1.2 GB in node_modules, which git ignores.
func bigTree(b *testing.B) string {
	b.Helper()
	root := b.TempDir()
	fill := func(dir string, files, perDir, bytes int) {
		text := noise(bytes)
		for i := range files {
			path := filepath.Join(root, dir, fmt.Sprint("d", i/perDir/40), fmt.Sprint("e", i/perDir), fmt.Sprint("f", i))
			if i%perDir == 0 {
				must(b, os.MkdirAll(filepath.Dir(path), 0o755))
			}
			must(b, os.WriteFile(path, []byte(fmt.Sprint(dir, i)+text), 0o644))
		}
	}
	fill("src", 20_000, 9, 15_000)
	fill("node_modules", 40_000, 10, 30_000)
	must(b, os.WriteFile(filepath.Join(root, ".gitignore"), []byte("node_modules/\n"), 0o644))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=n", "-c", "user.email=e@localhost", "commit", "-q", "-m", "all"}} {
		if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	return root
}

// BenchmarkScan compares a scan with git status in the same iteration. The
// metrics are medians in milliseconds and the ratio of them.
func BenchmarkScan(b *testing.B) {
	root := bigTree(b)
	w := open(b, b.TempDir(), root, snapshot.Limits{Time: time.Hour, Bytes: 16 << 30})
	defer func() { _ = w.Close() }()
	start := time.Now()
	_, err := w.Scan(ctx, snapshot.KeptPart)
	must(b, err)
	b.Logf("first snapshot of the kept part: %v, %d MB on disk", time.Since(start).Round(time.Millisecond), size(b, w.Dir())>>20)
	start = time.Now()
	_, err = w.Scan(ctx, snapshot.Whole)
	must(b, err)
	b.Logf("first scan of the whole after it: %v", time.Since(start).Round(time.Millisecond))
	status := func() time.Duration {
		start := time.Now()
		must(b, exec.Command("git", "-C", root, "status", "--porcelain").Run())
		return time.Since(start)
	}
	status() // refreshes the index of git
	for _, scope := range []snapshot.Scope{snapshot.KeptPart, snapshot.Whole} {
		for _, changed := range []int{0, 1, 100, 5000} {
			b.Run(fmt.Sprintf("%s/changed=%d", map[snapshot.Scope]string{snapshot.KeptPart: "kept", snapshot.Whole: "whole"}[scope], changed), func(b *testing.B) {
				var git, own []time.Duration
				text := noise(15_000)
				for round := 0; b.Loop(); round++ {
					for i := range changed {
						path := filepath.Join(root, "src", fmt.Sprint("d", i/9/40), fmt.Sprint("e", i/9), fmt.Sprint("f", i))
						must(b, os.WriteFile(path, []byte(fmt.Sprint(scope, round, i)+text), 0o644))
					}
					git = append(git, status())
					start := time.Now()
					_, err := w.Scan(ctx, scope)
					must(b, err)
					own = append(own, time.Since(start))
				}
				slices.Sort(git)
				slices.Sort(own)
				g, o := git[len(git)/2], own[len(own)/2]
				b.ReportMetric(float64(g.Microseconds())/1000, "git-ms")
				b.ReportMetric(float64(o.Microseconds())/1000, "scan-ms")
				b.ReportMetric(float64(o)/float64(g), "scan/git")
			})
		}
	}
}
