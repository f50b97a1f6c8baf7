package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

// call checks the arguments and runs a tool in a directory.
func call(t *testing.T, ctx context.Context, of tool.Tool, dir string, args any) tool.Result { //nolint:revive // t comes first
	t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	if err := of.Check(text); err != nil {
		t.Fatal(err)
	}
	return of.Run(ctx, tool.Call{Dir: dir, Args: text, Output: func(string) {}})
}

type args = map[string]any

// tree creates a working directory. Next to it is a directory with a secret.
func tree(t *testing.T) (dir string) {
	t.Helper()
	top := t.TempDir()
	dir = filepath.Join(top, "work")
	for path, text := range map[string]string{
		"work/a.txt":        "one\ntwo\nthree\nfour",
		"work/empty":        "",
		"work/sub/b.txt":    "deep\n",
		"work/..dots":       "odd\n",
		"elsewhere/key.txt": "secret\n",
	} {
		path = filepath.Join(top, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadFile_OffsetAndLimit_ReturnsThoseLines(t *testing.T) {
	t.Parallel()
	dir := tree(t)
	tests := []struct {
		name string
		args args
		want string
	}{
		{"all of it", args{"path": "a.txt"}, "1→one\n2→two\n3→three\n4→four\n"},
		{"from a line on", args{"path": "a.txt", "offset": 3}, "3→three\n4→four\n[lines 3-4 of 4]\n"},
		{"so many lines", args{"path": "a.txt", "limit": 2}, "1→one\n2→two\n[lines 1-2 of 4; continue with offset 3]\n"},
		{"so many from there", args{"path": "a.txt", "offset": 2, "limit": 2}, "2→two\n3→three\n[lines 2-3 of 4; continue with offset 4]\n"},
		{"more than there are", args{"path": "a.txt", "offset": 4, "limit": 9}, "4→four\n[lines 4-4 of 4]\n"},
		{"an empty file", args{"path": "empty"}, "[empty is empty]\n"},
		{"a file below", args{"path": "sub/b.txt"}, "1→deep\n"},
		{"by a way around that stays inside", args{"path": "sub/../sub/./b.txt"}, "1→deep\n"},
		{"by its absolute path", args{"path": filepath.Join(dir, "sub", "b.txt")}, "1→deep\n"},
		{"a name that starts with dots", args{"path": "..dots"}, "1→odd\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := call(t, t.Context(), tool.ReadFile(), dir, test.args)
			if r.Failed || r.Fate != bellcord.CallFinished || r.Text != test.want {
				t.Errorf("%+v, want %q", r, test.want)
			}
		})
	}
}

func TestReadFile_PathOutsideDirectory_Fails(t *testing.T) {
	t.Parallel()
	dir := tree(t)
	secret := filepath.Join(filepath.Dir(dir), "elsewhere", "key.txt")
	for link, target := range map[string]string{
		"absolute": secret, "relative": "../elsewhere/key.txt", "folder": "../elsewhere", "inside": "sub/b.txt",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if r := call(t, t.Context(), tool.ReadFile(), dir, args{"path": "inside"}); r.Text != "1→deep\n" {
		t.Errorf("a link that stays inside: %+v", r)
	}
	for name, path := range map[string]string{
		"the parent":                     "../elsewhere/key.txt",
		"the parent, hidden":             "sub/../../elsewhere/key.txt",
		"an absolute path":               secret,
		"a sibling that begins the same": dir + "-not/key.txt",
		"a link, absolute":               "absolute",
		"a link, relative":               "relative",
		"a link to a folder":             "folder/key.txt",
		"nothing":                        "no such file",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := call(t, t.Context(), tool.ReadFile(), dir, args{"path": path})
			if !r.Failed || r.Fate != bellcord.CallFinished || !strings.HasPrefix(r.Text, "error: ") || strings.Contains(r.Text, "secret\n") {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestReadFile_Stopped_ReturnsStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if r := call(t, ctx, tool.ReadFile(), tree(t), args{"path": "a.txt"}); r.Fate != bellcord.CallStopped || r.Failed {
		t.Errorf("%+v", r)
	}
}
