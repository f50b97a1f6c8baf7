//go:build unix

package tool_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord/internal/tool"
)

// Opening a pipe that has no writer would block.
func TestFileTools_Pipe_IsRefusedWithoutBlocking(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"a.txt": "s\n", "link": "->pipe"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, ask := range everyFileTool() {
		for _, path := range []string{"pipe", "link"} {
			of, args := ask(path)
			if got := use(t, t.Context(), of, dir, args); !got.Failed || !strings.Contains(got.Text, "is not a ") {
				t.Errorf("%s of a %s: %+v", name, path, got)
			}
		}
	}
	if got := use(t, t.Context(), tool.Grep(), dir, fields{"pattern": "s"}); got.Text != "a.txt:1:s\n" {
		t.Errorf("a search beside a pipe: %+v", got)
	}
	if got := use(t, t.Context(), tool.ListDir(), dir, fields{}); got.Text != "a.txt\t2\nlink -> pipe\npipe\t[pipe]\n" {
		t.Errorf("a listing with a pipe: %+v", got)
	}
}

func TestWriteAndEdit_ExistingFile_KeepMode(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o600, 0o640, 0o755, 0o777} {
		dir := lay(t, files{"f": "one\n"})
		path := filepath.Join(dir, "f")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		use(t, t.Context(), tool.WriteFile(), dir, fields{"path": "f", "content": "two\n"})
		use(t, t.Context(), tool.EditFile(), dir, fields{"path": "f", "old": "two", "new": "three"})
		info, err := os.Stat(path)
		if err != nil || info.Mode() != mode || content(t, path) != "three\n" {
			t.Errorf("%v became %v, %v", mode, info.Mode(), err)
		}
	}
}

// asNobody runs the test again in a process without root's rights.
func asNobody(t *testing.T) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "nobody-*") // t.TempDir has a parent that others cannot enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	const nobody = 65534
	program := filepath.Join(dir, "test")
	// Another process makes the copy: a child that another test starts meanwhile could inherit
	// the file open for writing, and the copy could not be executed.
	if out, err := exec.CommandContext(t.Context(), "cp", path, program).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := errors.Join(os.Chmod(program, 0o755), os.Chown(dir, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.run", "^"+t.Name()+"$")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()+" ") {
		t.Errorf("as user %d: %v\n%s", nobody, err, out)
	}
}

func TestFileErrors_PermissionDenied_AreReported(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 { // root is never denied, and CI runs as root
		asNobody(t)
		return
	}
	dir := lay(t, files{"secret.txt": "s\n", "fixed.txt": "secret\n", "open.txt": "s\n", "closed/x.txt": "s\n", "locked/": ""})
	modes := map[string]os.FileMode{"secret.txt": 0, "fixed.txt": 0o444, "closed": 0, "locked": 0o555}
	for name, mode := range modes {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for name := range modes {
			_ = os.Chmod(filepath.Join(dir, name), 0o700)
		}
	})
	tests := []struct {
		name   string
		of     tool.Tool
		args   fields
		failed bool
		says   string
	}{
		{"a write to a file that is fixed", tool.WriteFile(), fields{"path": "fixed.txt", "content": ""}, true, "permission denied"},
		{"a write to a directory that is locked", tool.WriteFile(), fields{"path": "locked/a", "content": ""}, true, "permission denied"},
		{"a write below a directory that is locked", tool.WriteFile(), fields{"path": "locked/a/b", "content": ""}, true, "permission denied"},
		{"a write to a directory that is closed", tool.WriteFile(), fields{"path": "closed/a", "content": ""}, true, "permission denied"},
		{"an edit of a file that is secret", tool.EditFile(), fields{"path": "secret.txt", "old": "s", "new": "t"}, true, "permission denied"},
		{"an edit of a file that is fixed", tool.EditFile(), fields{"path": "fixed.txt", "old": "secret", "new": "t"}, true, "permission denied"},
		{"a listing of what is closed", tool.ListDir(), fields{"path": "closed"}, true, "permission denied"},
		{"a listing beside it", tool.ListDir(), fields{"depth": 2}, false, "secret.txt\t2\n[unreadable entries: 1; first error: openat closed: permission denied]\n"},
		{"a glob beside it", tool.Glob(), fields{"pattern": "**/o*"}, false, "open.txt\n[unreadable entries: 1;"},
		{"a search in what is secret", tool.Grep(), fields{"path": "secret.txt", "pattern": "s"}, true, "permission denied"},
		{"a search beside it", tool.Grep(), fields{"pattern": "^s$"}, false, "open.txt:1:s\n[unreadable entries: 2; first error: openat closed: permission denied]\n"},
	}
	for _, test := range tests {
		if got := use(t, t.Context(), test.of, dir, test.args); got.Failed != test.failed || !strings.Contains(got.Text, test.says) {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
	if content(t, dir, "fixed.txt") != "secret\n" {
		t.Error("the fixed file has changed")
	}
}
