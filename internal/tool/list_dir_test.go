package tool_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/tool"
)

func TestListDir_Directory_ListsEntries(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{
		"b.txt": "12345", ".hidden": "", "a/x.txt": "1", "a/deep/y.txt": "22", "a-b": "", ".git/config": "x", "ü 日": "1",
		"line\nbreak": "", "link": "->a/x.txt", "gone": "->nowhere", "out": "->/etc", "empty/": "",
	})
	tests := []struct {
		name string
		args fields
		want string
	}{
		{"the working directory", fields{}, ".hidden\t0\na/\na-b\t0\nb.txt\t5\nempty/\ngone -> nowhere\n\"line\\nbreak\"\t0\nlink -> a/x.txt\nout -> /etc\nü 日\t1\n"},
		{"one below it", fields{"path": "a"}, "deep/\nx.txt\t1\n"},
		{"two levels", fields{"path": "a", "depth": 2}, "deep/\ndeep/y.txt\t2\nx.txt\t1\n"},
		{"more levels than there are", fields{"path": "a/deep", "depth": 99}, "y.txt\t2\n"},
		{"an absolute path", fields{"path": filepath.Join(dir, "a", "deep")}, "y.txt\t2\n"},
		{"an empty directory", fields{"path": "empty"}, "[empty]\n"},
	}
	for _, test := range tests {
		if got := use(t, t.Context(), tool.ListDir(), dir, test.args); got.Failed || got.Text != test.want {
			t.Errorf("%s: %q", test.name, got.Text)
		}
	}
	for path, says := range map[string]string{"b.txt": "b.txt is not a directory", "none": "no such file", "gone": "no such file"} {
		if got := use(t, t.Context(), tool.ListDir(), dir, fields{"path": path}); !got.Failed || !strings.Contains(got.Text, says) {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

func TestListDirAndGlob_MoreThan1000Names_AreCutWithNotice(t *testing.T) {
	t.Parallel()
	dir := lay(t, nil)
	for i := range 1000 {
		put(t, filepath.Join(dir, fmt.Sprintf("f%04d", i)), "")
	}
	list := func() string { return use(t, t.Context(), tool.ListDir(), dir, fields{}).Text }
	glob := func() string { return use(t, t.Context(), tool.Glob(), dir, fields{"pattern": "**"}).Text }
	for name, text := range map[string]string{"list_dir": list(), "glob": glob()} {
		if strings.Contains(text, "cut") || strings.Count(text, "\n") != 1000 {
			t.Errorf("%s of a thousand ends with %q", name, text[max(0, len(text)-60):])
		}
	}
	put(t, filepath.Join(dir, "g"), "")
	for name, text := range map[string]string{"list_dir": list(), "glob": glob()} {
		if !strings.Contains(text, "f0999") || strings.Contains(text, "\ng") || !strings.Contains(text, "\n[cut after ") {
			t.Errorf("%s of more ends with %q", name, text[max(0, len(text)-60):])
		}
	}
}
