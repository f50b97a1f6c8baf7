package tool_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/proc"
)

// checkedCalls returns the built-in tools with real processes.
func checkedCalls(t *testing.T, dir string) calls {
	t.Helper()
	keeper, err := proc.Open(t.TempDir(), proc.Options{AdoptOrphans: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keeper.Close() })
	tools := tool.Builtin(keeper, &tool.SessionResources{})
	tool.LimitChecks(tools, time.Minute)
	return calls{t, tools, bellcord.Session{ID: "s", Dir: dir}}
}

// Mistake 30 of the list of mistakes that models make: a real line end inside of
// a string.
func TestEdit_NewSyntaxError_IsReportedAndEditStays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ program, file, text, old, new, says string }{
		{"", "a.go", "package a\n\nvar s = \"ab\"\n", "ab", "a\nb", "a.go:3: string literal not terminated"},
		{"", "a.json", "{\"a\": 1}\n", "1", "1,", "a.json:1: invalid character '}'"},
		{"python3", "a.py", "s = 'ab'\n", "ab", "a\nb", "a.py:1: unterminated string literal"},
		{"node", "a.js", "let s = 'ab'\n", "ab", "a\nb", "a.js:1: SyntaxError: Invalid or unexpected token"},
		{"bash", "a.sh", "if true; then\n  x\nfi\n", "fi", "", "syntax error"},
		{"sh", "run", "#!/bin/sh\nif true; then\n  x\nfi\n", "fi", "", "yntax error"},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.program); c.program != "" && (err != nil || runtime.GOOS == "windows") {
				t.Skip(c.program + " is not installed")
			}
			dir := lay(t, files{c.file: c.text})
			got := checkedCalls(t, dir).run("edit_file", fields{"path": c.file, "old": c.old, "new": c.new})
			if !strings.Contains(got, "[the file was changed, and has new syntax errors:]\n") || !strings.Contains(got, c.says) {
				t.Errorf("%s", got)
			}
			if content(t, dir, c.file) != strings.Replace(c.text, c.old, c.new, 1) {
				t.Errorf("the file is %q", content(t, dir, c.file))
			}
		})
	}
}

func TestEdit_ErrorsFromBefore_AreNotReported(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"a.go": "package a\n\nfunc f( {\n}\n", "b.go": "package b\n"})
	c := checkedCalls(t, dir)
	for _, got := range []string{
		c.run("edit_file", fields{"path": "a.go", "old": "package a\n", "new": "// A\npackage a\n"}),
		c.run("edit_file", fields{"path": "b.go", "old": "package b\n", "new": "package c\n"}),
		c.run("write_file", fields{"path": "c.go", "content": "package c\n"}),
		c.run("write_file", fields{"path": "notes", "content": "func ("}),
	} {
		if strings.Contains(got, "syntax error") {
			t.Error(got)
		}
	}
	if got := c.run("write_file", fields{"path": "d.go", "content": "package d\nfunc"}); !strings.Contains(got, "new syntax errors:]\nd.go:2: ") {
		t.Error(got)
	}
	if got := c.run("apply_patch", patch("*** Update File: b.go", "@@", "-package c", "+package", "*** Add File: e.json", "+{")); !strings.Contains(got, "b.go:1: ") || !strings.Contains(got, "e.json:") {
		t.Error(got)
	}
}

// A stop or the time limit ends a check that hangs, with its processes. The file
// is changed, and the result states that.
func TestEdit_CheckHangs_IsEndedAndResultStays(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	bin := t.TempDir()
	started := filepath.Join(bin, "started")
	if err := os.WriteFile(filepath.Join(bin, "python3"), []byte("#!/bin/sh\necho started > "+started+"\nexec sleep 60\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for name, limit := range map[string]time.Duration{"stopped": time.Minute, "out of time": 300 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			dir := lay(t, files{"a.py": "x = 1\n"})
			tools := checkedCalls(t, dir).tools
			tool.LimitChecks(tools, limit)
			edit := tools[slices.IndexFunc(tools, func(of tool.Tool) bool { return of.Name == "edit_file" })]
			_ = os.Remove(started)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			if name == "stopped" {
				go stopWhenThere(ctx, started, stop)
			}
			r := use(t, ctx, edit, dir, fields{"path": "a.py", "old": "1", "new": "2"})
			if r.Failed || r.Fate != bellcord.CallFinished || content(t, dir, "a.py") != "x = 2\n" || strings.Contains(r.Text, "syntax") {
				t.Errorf("%+v", r)
			}
			if _, err := os.Stat(started); err == nil && (r.Processes == nil || len(r.Processes.Ended) == 0 || len(r.Processes.Survivors) > 0) {
				t.Errorf("processes %+v", r.Processes)
			}
		})
	}
}

// stopWhenThere calls stop when a file exists.
func stopWhenThere(ctx context.Context, path string, stop func()) {
	for ctx.Err() == nil {
		if _, err := os.Stat(path); err == nil {
			stop()
		}
		<-time.After(5 * time.Millisecond)
	}
}

// A directory of the project is in PATH when a virtual environment is active or a
// package manager started Bellcord.
func TestEdit_ProgramOfTheProjectInPath_IsNotRun(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("bash is not installed")
	}
	dir, outside := lay(t, files{"a.sh": "if true; then\n  x\nfi\n"}), t.TempDir()
	ran := filepath.Join(outside, "ran")
	for _, bin := range []string{"bin", "target"} {
		if err := os.MkdirAll(filepath.Join(dir, bin), 0o700); err != nil {
			t.Fatal(err)
		}
		program := "#!/bin/sh\ntouch " + ran + "\n"
		if err := os.WriteFile(filepath.Join(dir, bin, "bash"), []byte(program), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	linked := filepath.Join(outside, "bin") // a directory of the user whose program is a link into the project
	if err := os.Mkdir(linked, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "target", "bash"), filepath.Join(linked, "bash")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", strings.Join([]string{filepath.Join(dir, "bin"), linked, "bin", os.Getenv("PATH")}, string(filepath.ListSeparator)))
	got := checkedCalls(t, dir).run("edit_file", fields{"path": "a.sh", "old": "fi\n", "new": "\n"})
	if !strings.Contains(got, "syntax error") {
		t.Errorf("the program outside did not check the file: %s", got)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the project was run")
	}
}
