package tool_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

// everyFileTool returns, for each file tool, a function that returns the tool
// and arguments with a path.
func everyFileTool() map[string]func(path string) (tool.Tool, fields) {
	return map[string]func(path string) (tool.Tool, fields){
		"write_file": func(path string) (tool.Tool, fields) {
			return tool.WriteFile(), fields{"path": path, "content": "new"}
		},
		"edit_file": func(path string) (tool.Tool, fields) {
			return tool.EditFile(), fields{"path": path, "old": "secret", "new": "new"}
		},
		"list_dir": func(path string) (tool.Tool, fields) { return tool.ListDir(), fields{"path": path, "depth": 9} },
		"glob":     func(path string) (tool.Tool, fields) { return tool.Glob(), fields{"path": path, "pattern": "**"} },
		"grep":     func(path string) (tool.Tool, fields) { return tool.Grep(), fields{"path": path, "pattern": "s"} },
	}
}

func TestFileTools_PathOutsideDirectory_IsRefused(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, path string }{
		{"by two dots", "../elsewhere"},
		{"by two dots behind a name", "sub/../../elsewhere/key.txt"},
		{"by an absolute path", "TOP/elsewhere/key.txt"},
		{"by the absolute path of a neighbour whose name begins alike", "TOP/work2"},
		{"by a link to a file", "key"},
		{"by a link to a directory", "out"},
		{"by a name behind a link", "out/key.txt"},
		{"by a new name behind a link", "out/fresh/new.txt"},
		{"by a relative link", "up/key.txt"},
		{"by a link to a link", "sub/twice/key.txt"},
		{"by a link in a linked directory", "again/twice/key.txt"},
		{"by two dots behind a link", "again/../../elsewhere/key.txt"},
		{"by a link to the directory above", "above/elsewhere/key.txt"},
		{"by a link to the whole system", "system/etc/hostname"},
	}
	for name, ask := range everyFileTool() {
		for _, test := range tests {
			t.Run(name+" "+test.name, func(t *testing.T) {
				t.Parallel()
				dir := lay(t, files{
					"sub/a.txt": "a\n",
					"key":       "->TOP/elsewhere/key.txt", "out": "->TOP/elsewhere", "up": "->../elsewhere", "above": "->..",
					"sub/twice": "->../out", "again": "->sub", "system": "->/",
				})
				top := filepath.Dir(dir)
				put(t, filepath.Join(top, "work2", "key.txt"), "secret\n")
				before := everything(t, top)
				of, args := ask(strings.ReplaceAll(test.path, "TOP", top))
				result := use(t, t.Context(), of, dir, args)
				if !result.Failed || result.Fate != bellcord.CallFinished || strings.Contains(result.Text, "secret") {
					t.Errorf("%+v", result)
				}
				if now := everything(t, top); now != before || content(t, top, "elsewhere", "key.txt") != "secret\n" {
					t.Errorf("now there is %s, before there was %s", now, before)
				}
			})
		}
	}
}

func TestFileTools_LinkInTree_IsNotFollowed(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"a.txt": "s\n", "out": "->TOP/elsewhere", "key": "->TOP/elsewhere/key.txt", "self": "->.", "round": "->round"})
	for name, ask := range everyFileTool() {
		if name == "write_file" || name == "edit_file" {
			continue
		}
		of, args := ask(".")
		result := use(t, t.Context(), of, dir, args)
		if result.Failed || !strings.Contains(result.Text, "a.txt") || strings.Contains(result.Text, "secret") || strings.Contains(result.Text, "out/") {
			t.Errorf("%s: %+v", name, result)
		}
	}
}

func TestFileTools_PathInsideDirectory_IsAccepted(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"sub/a.txt": "one\n", "in": "->sub"})
	other := filepath.Join(filepath.Dir(dir), "other") // another name of the directory
	for name, target := range map[string]string{other: dir, filepath.Join(filepath.Dir(dir), "into"): filepath.Join(dir, "sub")} {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ name, dir, path string }{
		{"relative", dir, "sub/a.txt"},
		{"relative, the long way", dir, "./sub/../sub//a.txt"},
		{"absolute", dir, filepath.Join(dir, "sub", "a.txt")},
		{"through a link that stays inside", dir, "in/a.txt"},
		{"absolute, by a name with a link above", dir, filepath.Join(other, "sub", "a.txt")},
		{"absolute, by a name with links above and inside", dir, filepath.Join(other, "in", "a.txt")},
		{"absolute, of a link into the directory", dir, filepath.Join(filepath.Dir(dir), "into", "a.txt")},
	} {
		result := use(t, t.Context(), tool.Grep(), test.dir, fields{"path": test.path, "pattern": "one"})
		if result.Failed || !strings.HasSuffix(result.Text, "a.txt:1:one\n") {
			t.Errorf("%s: %+v", test.name, result)
		}
	}
}

// inOutput reports whether the output of a stopped call is part of the whole:
// the same names, which grep and glob have not sorted yet.
func inOutput(whole, part string) bool {
	for line := range strings.Lines(part) {
		name, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " (")
		if !strings.Contains("\n"+whole, "\n"+name) {
			return false
		}
	}
	return true
}

// mostLate is the maximum number of times that a stopped call looks whether it
// is stopped: about once for each name in the two directories that it is in. A
// walk that goes on looks hundreds of times.
const mostLate = 100

// The tree is large enough for a stop in the middle of the walk.
func TestWalk_StopInLargeTree_EndsSoonWithOutputSoFar(t *testing.T) {
	t.Parallel()
	dir := lay(t, nil)
	for i := range 30 {
		for j := range 30 {
			put(t, filepath.Join(dir, fmt.Sprintf("d%02d", i), fmt.Sprintf("f%02d", j)), "some text\n")
		}
	}
	for name, ask := range everyFileTool() {
		if name == "write_file" || name == "edit_file" {
			continue
		}
		of, args := ask(".")
		whole := use(t, t.Context(), of, dir, args).Text
		ctx := &cutAt{Context: t.Context(), reads: 400}
		result := use(t, ctx, of, dir, args)
		if ctx.late == 0 || ctx.late > mostLate {
			t.Errorf("%s: looked %d times after the stop whether it is stopped", name, ctx.late)
		}
		found, ok := strings.CutPrefix(result.Text, "[output so far]\n")
		first, _, _ := strings.Cut(found, "\n\n") // the notice about the stop follows
		if result.Fate != bellcord.CallStopped || !ok || !inOutput(whole, first) {
			t.Errorf("%s: %+v", name, result)
		}
	}
}

func TestWalk_StoppedAnywhere_ReturnsPartOfOutput(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"a/b/c.txt": "s1\nx\ns2\n", "a/d.txt": "s3\n", "e/f.txt": "s4", "g/": ""})
	for name, ask := range everyFileTool() {
		if name == "write_file" || name == "edit_file" {
			continue
		}
		of, args := ask(".")
		whole := use(t, t.Context(), of, dir, args).Text
		run := func(ctx context.Context) tool.Result { return use(t, ctx, of, dir, args) }
		last := stopEverywhere(t, run, func(stopped tool.Result) {
			output, _, _ := strings.Cut(strings.TrimPrefix(stopped.Text, "[output so far]\n"), "[stopped")
			if output = strings.TrimRight(output, "\n"); !inOutput(whole, output) {
				t.Errorf("%s: %q is not part of %q", name, output, whole)
			}
		})
		if last.Text != whole {
			t.Errorf("%s: %q", name, last.Text)
		}
	}
}
