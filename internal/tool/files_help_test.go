package tool_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

// fields are the arguments of a call.
type fields map[string]any

// use checks the arguments and runs a tool in a directory.
func use(t *testing.T, ctx context.Context, of tool.Tool, dir string, args fields, additional ...string) tool.Result { //nolint:revive // t comes first
	t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	if err := of.Check(text); err != nil {
		t.Fatalf("%s refuses %s: %v", of.Name, text, err)
	}
	return of.Run(ctx, tool.Call{Dir: dir, AdditionalDirs: additional, Args: text, Output: func(string) {}})
}

// files is input of lay: a name that ends in / is a directory, a content that
// begins with -> is a link.
type files map[string]string

// lay creates a working directory with the files. Next to it is a directory
// with a secret.
func lay(t *testing.T, all files) (dir string) {
	t.Helper()
	top := t.TempDir()
	dir = filepath.Join(top, "work")
	put(t, filepath.Join(top, "elsewhere", "key.txt"), "secret\n")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range all {
		path := filepath.Join(dir, name)
		target, link := strings.CutPrefix(content, "->")
		var err error
		switch {
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		case link:
			if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
				err = os.Symlink(strings.ReplaceAll(target, "TOP", top), path)
			}
		default:
			put(t, path, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			err = os.Chtimes(path, sameTime, sameTime)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, sameTime, sameTime); err != nil {
		t.Fatal(err)
	}
}

// sameTime is the modification time of all files, so that results which are
// sorted by it are in the order of names.
var sameTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func content(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// everything lists a tree, to check for files left behind.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if path != dir {
			names = append(names, strings.TrimPrefix(path, dir+string(filepath.Separator)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

// cutAt is a context that ends after a given number of calls of Err, so that a
// stop happens at the same point each time.
type cutAt struct {
	context.Context
	mu    sync.Mutex
	reads int
	late  int // calls of Err after the end
}

func (c *cutAt) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reads--; c.reads >= 0 {
		return nil
	}
	c.late++
	return context.Canceled
}

// stopEverywhere runs a call repeatedly and stops it at the first call of Err,
// then at the second, and so on, until it finishes. It calls each with every
// stopped result and returns the last one.
func stopEverywhere(t *testing.T, run func(context.Context) tool.Result, each func(stopped tool.Result)) (last tool.Result) {
	t.Helper()
	for n := range 10_000 {
		last = run(&cutAt{Context: t.Context(), reads: n})
		if last.Fate == bellcord.CallFinished {
			if n == 0 {
				t.Error("it never looks whether it is stopped")
			}
			return last
		}
		if last.Fate != bellcord.CallStopped || last.Failed {
			t.Fatalf("stopped at look %d: %+v", n, last)
		}
		each(last)
	}
	t.Fatal("it never ends")
	return last
}

// soon is how long a call may continue after a stop. It is asserted only for a
// machine that does nothing else.
const soon = time.Second

var timing = flag.Bool("timing", false, "assert durations that are promises; for a machine that does nothing else")

// inTime stops a call while it runs and checks that it ends soon. Without a stop,
// the call would take minutes.
func inTime(t *testing.T, run func(context.Context) tool.Result) tool.Result {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer done()
	result := run(ctx)
	end, _ := ctx.Deadline()
	if late := time.Since(end); result.Fate != bellcord.CallStopped || late > time.Minute || *timing && late > soon {
		t.Errorf("%v after the stop: %.200v", late, result)
	}
	return result
}
