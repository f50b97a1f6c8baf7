package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bellcord/bellcord/internal/tool"
)

func TestWriteFile_NewOrExistingFile_IsCreatedOrReplaced(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, path, content, says, where string }{
		{"a new file", "new.txt", "one\n", "created new.txt (4 bytes)", "new.txt"},
		{"a new file in new directories", "x/y/z.txt", "deep", "created x/y/z.txt (4 bytes)", "x/y/z.txt"},
		{"all of an old file", "old.txt", "short", "replaced old.txt (5 bytes)", "old.txt"},
		{"an empty file", "old.txt", "", "replaced old.txt (0 bytes)", "old.txt"},
		{"more than is written at a time", "big", strings.Repeat("0123456789", 20_000), "created big (200000 bytes)", "big"},
		{"characters of every length", "ünï/日本.txt", "aé日𝄞\x00\r\n", "created ünï/日本.txt (13 bytes)", "ünï/日本.txt"},
		{"the file that a link leads to", "link", "new", "replaced link (3 bytes)", "sub/target.txt"},
		{"the file that a link to a link leads to", "link2", "new", "replaced link2 (3 bytes)", "sub/target.txt"},
		{"the file that a link promises", "promise", "new", "created promise (3 bytes)", "sub/promised.txt"},
		{"a file behind a linked directory", "in/target.txt", "new", "replaced in/target.txt (3 bytes)", "sub/target.txt"},
		{"the file that a link climbs to, from a linked directory", "in/climb", "new", "replaced in/climb (3 bytes)", "old.txt"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := lay(t, files{
				"old.txt": "much longer than the new one\n", "sub/target.txt": "t", "link": "->sub/target.txt", "link2": "->link",
				"promise": "->sub/promised.txt", "in": "->sub", "sub/climb": "->../old.txt",
			})
			result := use(t, t.Context(), tool.WriteFile(), dir, fields{"path": test.path, "content": test.content})
			if result.Failed || result.Text != test.says {
				t.Fatalf("%+v", result)
			}
			if got := content(t, dir, test.where); got != test.content {
				t.Errorf("%.40q", got)
			}
			if all := everything(t, dir); strings.Contains(all, ".bellcord-") || !strings.Contains(all, "link link2") {
				t.Errorf("left behind: %s", all)
			}
			if info, err := os.Lstat(filepath.Join(dir, "link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("the link is %v, %v", info, err)
			}
		})
	}
}

func TestWriteFile_PathNotARegularFile_Fails(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, path, says string }{
		{"a directory", "sub", "sub is a directory"},
		{"a link to a directory", "in", "in is a directory"},
		{"the working directory", ".", ". is a directory"},
		{"the name of a directory to be", "new/", "new/ is the name of a directory"},
		{"a name below a file", "a.txt/b", "a.txt"},
		{"a name below a file, deeper", "a.txt/b/c", "a.txt"},
		{"a link that leads to itself", "round", "too many symbolic links"},
		{"an absolute link, even to the inside", "abs", "which is not followed"},
		{"a name that no system takes", "nul\x00", "invalid"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := lay(t, files{"a.txt": "a", "sub/": "", "in": "->sub", "round": "->round", "abs": "->TOP/work/a.txt"})
			result := use(t, t.Context(), tool.WriteFile(), dir, fields{"path": test.path, "content": "new"})
			if !result.Failed || !strings.Contains(result.Text, test.says) {
				t.Errorf("%+v", result)
			}
			if all := everything(t, dir); all != "a.txt abs in round sub" || content(t, dir, "a.txt") != "a" {
				t.Errorf("now there is %s", all)
			}
		})
	}
}

func TestWriteFile_StoppedAnywhere_LeavesFileUnchanged(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("new text\n", 25_000) // several pieces
	tests := []struct {
		name, path, content string
		cuts                int
	}{
		{"a new file", "x/y/new.txt", long, 6}, // at the start, before each of four pieces, and before the rename
		{"an old file", "old.txt", long, 7},    // and while the old text is read
		{"an empty file", "old.txt", "", 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := test.path
			dir := lay(t, files{"old.txt": "old"})
			run := func(ctx context.Context) tool.Result {
				return use(t, ctx, tool.WriteFile(), dir, fields{"path": path, "content": test.content})
			}
			cuts := 0
			stopEverywhere(t, run, func(stopped tool.Result) {
				cuts++
				if stopped.Text != "[stopped before anything was written: "+path+" is unchanged]" {
					t.Error(stopped.Text)
				}
				if all := everything(t, dir); all != "old.txt" || content(t, dir, "old.txt") != "old" {
					t.Errorf("left behind: %s", all)
				}
			})
			if got := content(t, dir, path); got != test.content || cuts != test.cuts {
				t.Errorf("%d bytes after %d cuts", len(got), cuts)
			}
		})
	}
}

func TestWriteFile_ConcurrentReader_NeverSeesPartialFile(t *testing.T) {
	t.Parallel()
	texts := []string{strings.Repeat("a", 100_000), strings.Repeat("b", 100_000)}
	dir := lay(t, files{"f": texts[0]})
	var writers sync.WaitGroup
	for _, text := range texts {
		writers.Go(func() {
			for range 10 {
				if r := use(t, t.Context(), tool.WriteFile(), dir, fields{"path": "f", "content": text}); r.Failed {
					t.Errorf("%+v", r)
				}
			}
		})
	}
	for range 50 {
		if got := content(t, dir, "f"); got != texts[0] && got != texts[1] {
			t.Errorf("%d bytes, %d of a", len(got), strings.Count(got, "a"))
		}
	}
	writers.Wait()
	if all := everything(t, dir); all != "f" {
		t.Errorf("left behind: %s", all)
	}
}

func TestQuestion_WriteEditAndFetch_ShowsWhatWillHappen(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		of    tool.Tool
		args  string
		asked string
	}{
		{"a file", tool.WriteFile(), `{"path":"a/b.txt","content":"é"}`, "Write a/b.txt (2 bytes)?\n+é"},
		{"a name that plays another", tool.WriteFile(), `{"path":"a\n? b","content":""}`, `Write "a\n? b" (0 bytes)?`},
		{"an edit", tool.EditFile(), `{"path":"a","old":"x\ny\n","new":"z"}`, "Edit a?\n-x\n-y\n+z\n"},
		{"an edit that hides something", tool.EditFile(), `{"path":"a","old":"x","new":"y\u001b[2K\u202e"}`, "Edit a?\n-x\n+y\uFFFD[2K\uFFFD\n"},
		{"an edit of every place", tool.EditFile(), `{"path":"a","old":"x","new":"","all":true}`, "Edit a in every place?\n-x\n"},
		{"a page", tool.Fetch(tool.FetchOptions{}), `{"url":"https://example.org/?a=b"}`, "Fetch https://example.org/?a=b?"},
	}
	for _, test := range tests {
		if err := test.of.Check(json.RawMessage(test.args)); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if asked := test.of.Question(json.RawMessage(test.args)); asked != test.asked || test.of.Safe {
			t.Errorf("%s: %q", test.name, asked)
		}
	}
	for _, of := range []tool.Tool{tool.ListDir(), tool.Glob(), tool.Grep()} {
		if !of.Safe || of.Question != nil {
			t.Errorf("%s only reads", of.Name)
		}
	}
}
