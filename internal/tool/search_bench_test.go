package tool_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/tool"
)

// BenchmarkSearch16000Files compares grep and glob with programs that only walk,
// and only read, the same tree of 16,000 files of about 3 KB in 800 directories.
func BenchmarkSearch16000Files(b *testing.B) {
	dir := b.TempDir()
	line := "func example(ctx context.Context, name string) error { return nil } // some more text\n"
	for d := range 800 {
		sub := filepath.Join(dir, fmt.Sprintf("pkg%02d", d/40), fmt.Sprintf("part%02d", d%40), "src")
		if err := os.MkdirAll(sub, 0o700); err != nil {
			b.Fatal(err)
		}
		for f := range 20 {
			text := strings.Repeat(line, 20+(d+f)%30)
			if d%100 == 7 && f == 3 {
				text += "needle here\n"
			}
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("file%02d.go", f)), []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	for name, text := range map[string]string{".gitignore": "*.o\n/build/\nnode_modules/\n*.log\n!keep.log\ndist\n.env\n*.tmp\n", "pkg03/.gitignore": "*.gen.go\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	read := func(path string) {
		if _, err := os.ReadFile(path); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("bare walk", func(b *testing.B) { bareWalk(b, dir, func(string) {}) })
	b.Run("glob and bare walk in turn", func(b *testing.B) { alternate(b, dir) })
	b.Run("bare walk that reads", func(b *testing.B) { bareWalk(b, dir, read) })
	for _, c := range []struct {
		name string
		of   tool.Tool
		args string
		want string
	}{
		{"glob all", tool.Glob(), `{"pattern":"**/file07.go"}`, "pkg03/part05/src/file07.go\n"},
		{"glob few", tool.Glob(), `{"pattern":"pkg0*/part01/*/file01.go"}`, "pkg03/part01/src/file01.go\n"},
		{"grep word", tool.Grep(), `{"pattern":"needle"}`, "needle here\n"},
		{"grep expression", tool.Grep(), `{"pattern":"^n[a-e]+dle\\s+h.re$"}`, "needle here\n"},
		{"grep ignore case", tool.Grep(), `{"pattern":"NEEDLE","ignore_case":true}`, "needle here\n"},
		{"grep with ignored", tool.Grep(), `{"pattern":"needle","include_ignored":true}`, "needle here\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				result := c.of.Run(b.Context(), tool.Call{Dir: dir, Args: json.RawMessage(c.args), Output: func(string) {}})
				if result.Failed || !strings.Contains(result.Text, c.want) {
					b.Fatalf("%+v", result)
				}
			}
		})
	}
}

// alternate reports the time of glob as a multiple of that of a bare walk. The two
// run in turn, so that other programs slow down both.
func alternate(b *testing.B, dir string) {
	b.Helper()
	var walks, globs time.Duration
	for b.Loop() {
		start := time.Now()
		walkOnce(b, dir, func(string) {})
		walked := time.Now()
		tool.Glob().Run(b.Context(), tool.Call{Dir: dir, Args: json.RawMessage(`{"pattern":"**/file07.go"}`), Output: func(string) {}})
		walks += walked.Sub(start)
		globs += time.Since(walked)
	}
	b.ReportMetric(float64(globs)/float64(walks), "glob/walk")
}

func bareWalk(b *testing.B, dir string, each func(path string)) {
	b.Helper()
	for b.Loop() {
		walkOnce(b, dir, each)
	}
}

func walkOnce(b *testing.B, dir string, each func(path string)) {
	b.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files++
			each(path)
		}
		return err
	})
	if err != nil || files < 16_000 {
		b.Fatal(files, err)
	}
}
