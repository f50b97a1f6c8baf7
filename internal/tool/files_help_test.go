package tool_test

import (
	"context"
	"encoding/json"
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

// use checks arguments and runs a tool in a directory.
func use(t *testing.T, ctx context.Context, of tool.Tool, dir string, args fields) tool.Result { //nolint:revive // t comes first
	t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	if err := of.Check(text); err != nil {
		t.Fatalf("%s refuses %s: %v", of.Name, text, err)
	}
	return of.Run(ctx, tool.Call{Dir: dir, Args: text, Output: func(string) {}})
}

// files are made by lay: a name that ends in / is a directory, a content that
// begins with -> is a link.
type files map[string]string

// lay makes a directory to work in. Beside it is another, with a secret.
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
}

func content(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// everything lists a tree, so that a test sees what was left behind.
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

// cutAt is a context that ends when it has been looked at so many times: a stop
// at a known place, the same each time.
type cutAt struct {
	context.Context
	mu    sync.Mutex
	looks int
	when  time.Time
}

func (c *cutAt) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.looks--; c.looks >= 0 {
		return nil
	}
	if c.when.IsZero() {
		c.when = time.Now()
	}
	return context.Canceled
}

// stopEverywhere stops a call at the first look, at the second and so on, until
// there are no more and it finishes. It hands over what each stop came to.
func stopEverywhere(t *testing.T, run func(context.Context) tool.Result, each func(stopped tool.Result)) (last tool.Result) {
	t.Helper()
	for n := range 10_000 {
		last = run(&cutAt{Context: t.Context(), looks: n})
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

// soon is how long after a stop a call may take on a busy machine with the race
// detector. What these tests stop would go on for many seconds.
const soon = time.Second

// inTime stops a call that is under way and sees that it ends.
func inTime(t *testing.T, run func(context.Context) tool.Result) tool.Result {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer done()
	result := run(ctx)
	end, _ := ctx.Deadline()
	if late := time.Since(end); result.Fate != bellcord.CallStopped || late > soon {
		t.Errorf("%v after the stop: %.200v", late, result)
	}
	return result
}
