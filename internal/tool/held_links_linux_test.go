package tool_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// A directory and a link that leads outside are exchanged as fast as possible,
// while every file tool is called with a path through that name. The exchange
// is atomic, so the name always exists.
func TestHeld_LinkSwappedDuringCall_LeadsNoFileToolOutside(t *testing.T) {
	t.Parallel()
	t.Run("in the working directory", func(t *testing.T) {
		t.Parallel()
		swapDuringCalls(t, func(dir string) (string, []string, string) { return dir, nil, "" })
	})
	t.Run("in an additional directory", func(t *testing.T) {
		t.Parallel()
		swapDuringCalls(t, func(dir string) (string, []string, string) { return t.TempDir(), []string{dir}, dir })
	})
}

// swapDuringCalls calls the tools in a session whose directories of returns,
// with paths that begin with the last result.
func swapDuringCalls(t *testing.T, of func(dir string) (work string, additional []string, prefix string)) {
	t.Helper()
	const least = 300
	dir := lay(t, files{"here/key.txt": "inside\n", "there": "->TOP/elsewhere"})
	top := filepath.Dir(dir)
	work, additional, prefix := of(dir)
	var swaps atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
		for unix.Renameat2(unix.AT_FDCWD, here, unix.AT_FDCWD, there, unix.RENAME_EXCHANGE) == nil {
			swaps.Add(1)
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	calls, inside := 0, 0
	for calls < least || swaps.Load() < least || inside == 0 || inside == calls { // until both the directory and the link were met
		if t.Context().Err() != nil {
			t.Fatalf("%d swaps, %d of %d calls met the directory: the race was not run", swaps.Load(), inside, calls)
		}
		for name, ask := range everyFileTool() {
			path := "here/key.txt"
			if name == "list_dir" || name == "glob" {
				path = "here"
			}
			of, args := ask(filepath.Join(prefix, path))
			result := use(t, t.Context(), of, work, args, additional...)
			if strings.Contains(result.Text, "secret") {
				t.Errorf("%s read what is outside: %s", name, result.Text)
			}
			if !result.Failed {
				inside++
			}
			calls++
		}
	}
	close(stop)
	<-stopped
	if got := content(t, top, "elsewhere", "key.txt"); got != "secret\n" {
		t.Errorf("the file outside was changed to %q", got)
	}
	if names, err := os.ReadDir(filepath.Join(top, "elsewhere")); err != nil || len(names) != 1 {
		t.Errorf("outside there is %v, %v", names, err)
	}
	t.Logf("%d calls, %d of them met the directory, %d swaps, 0 left it", calls, inside, swaps.Load())
}

// Paths with a special meaning for the system.
func TestHeld_SystemPaths_LeadNoFileToolOutside(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"sub/a.txt": "a\n", "proc": "->/proc/self/root", "fd": "->/proc/self/fd", "cwd": "->/proc/self/cwd"})
	top := filepath.Dir(dir)
	paths := []string{
		"/proc/self/root" + top + "/elsewhere/key.txt", "/proc/self/cwd/held_test.go", "/proc/self/environ", "/proc/1/root/etc/hostname",
		"proc/etc/hostname", "fd/0", "cwd/held_test.go", "/dev/zero", "/dev/stdin", "/dev/fd/0",
		"sub/\x00/../../elsewhere/key.txt", "sub/a.txt\x00.png", "//etc/hostname", "/./" + top + "/elsewhere", "~/.ssh", "file://" + top + "/elsewhere/key.txt",
		"sub/../../elsewhere/./key.txt", strings.Repeat("../", 40) + "etc/hostname", strings.Repeat("sub/../", 2000) + "../elsewhere",
	}
	outside := func() string {
		return everything(t, filepath.Join(top, "elsewhere")) + content(t, top, "elsewhere", "key.txt")
	}
	before, tries := outside(), 0
	for _, ask := range everyFileTool() {
		for _, path := range paths {
			of, args := ask(path)
			tries++
			if refusedByCheck(of, args) {
				continue
			}
			// A name that is inside after cleaning may be written.
			for _, additional := range [][]string{nil, {dir}} {
				if result := use(t, t.Context(), of, dir, args, additional...); strings.Contains(result.Text, "secret") {
					t.Errorf("%s %.60q: %+v", of.Name, path, result)
				}
			}
		}
	}
	if now := outside(); now != before {
		t.Errorf("outside there was %q, now %q", before, now)
	}
	for _, path := range []string{"/proc/self/cwd/held_test.go", "held_test.go"} {
		if text, err := os.ReadFile(path); err != nil || string(text) == "new" {
			t.Errorf("%s was changed: %v", path, err)
		}
	}
	t.Logf("%d tries", tries)
}
