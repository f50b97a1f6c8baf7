package tool_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/tool"
)

func TestEditFile_ExactMatch_ReplacesOnlyThat(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, before, after string
		all                       bool
		want, says                string
	}{
		{
			"a word", "one\ntwo\nthree\nfour\nfive\n", "three", "3", false,
			"one\ntwo\n3\nfour\nfive\n", "edited f (1 place)\n@@ line 3 @@\n 1→one\n 2→two\n-three\n+3→3\n 4→four\n 5→five\n",
		},
		{
			"whole lines", "one\ntwo\nthree\n", "two\n", "2\n2b\n", false,
			"one\n2\n2b\nthree\n", "edited f (1 place)\n@@ line 2 @@\n 1→one\n-two\n+2→2\n+3→2b\n 4→three\n",
		},
		{
			"a line with nothing", "one\ntwo\nthree\n", "two\n", "", false,
			"one\nthree\n", "edited f (1 place)\n@@ line 2 @@\n 1→one\n-two\n 2→three\n",
		},
		{
			"a line end, which joins two lines", "one\ntwo\n", "one\n", "one ", false,
			"one two\n", "edited f (1 place)\n@@ line 1 @@\n-one\n-two\n+1→one two\n",
		},
		{
			"with lines around that stay the same", "a\nb\nc\nd\ne\n", "b\nc\nd", "b\nC\nd", false,
			"a\nb\nC\nd\ne\n", "edited f (1 place)\n@@ line 3 @@\n 1→a\n 2→b\n-c\n+3→C\n 4→d\n 5→e\n",
		},
		{
			"at the end of a file without a line end", "one\ntwo", "two", "2", false,
			"one\n2", "edited f (1 place)\n@@ line 2 @@\n 1→one\n-two\n+2→2\n",
		},
		{"everything", "x", "x", "", false, "", "edited f (1 place)\n@@ line 1 @@\n-x\n"},
		{
			"every place", "a.a\na\n", "a", "bb", true,
			"bb.bb\nbb\n", "edited f (3 places)\n@@ line 1 @@\n-a.a\n-a\n+1→bb.bb\n+2→bb\n",
		},
		{"more places than are shown", "a\n\n\na\n\n\na\n\n\na\n\n\na\n", "a", "b", true, "b\n\n\nb\n\n\nb\n\n\nb\n\n\nb\n", "[and 2 more]\n"},
		{"characters of every length", "aé日𝄞z", "é日𝄞", "ж", false, "aжz", "-aé日𝄞z\n+1→aжz\n"},
		{"signs that mean something elsewhere", "a.*$1\n", ".*$1", "${2}\\n", false, "a${2}\\n\n", "-a.*$1\n+1→a${2}\\n\n"},
		{"bytes that are no text stay", "\xff\xfe a \x80", "a", "b", false, "\xff\xfe b \x80", "edited f"},
		{"a mark of the byte order stays", "\uFEFFone\n", "one", "two", false, "\uFEFFtwo\n", "edited f"},
		{
			"lines that end in CRLF", "one\r\ntwo\r\nthree\r\n", "one\ntwo\n", "1\n2\n", false,
			"1\r\n2\r\nthree\r\n", "edited f (1 place)\n@@ line 1 @@\n-one\n-two\n+1→1\n+2→2\n 3→three\n",
		},
		{"CRLF, given as such", "one\r\ntwo\r\n", "one\r\ntwo", "1\r\n2", false, "1\r\n2\r\n", "edited f"},
		{"a word by two lines, among CRLF", "one\r\ntwo\r\n", "one", "1\n1b", false, "1\r\n1b\r\ntwo\r\n", "edited f"},
		{"lines of either kind, as they are", "one\ntwo\r\nthree\n", "two\r\nthree", "2\r\n3", false, "one\n2\r\n3\n", "edited f"},
		{"lines of the other kind, among both", "one\ntwo\r\nthree\r\n", "two\nthree", "2\n3", false, "one\n2\r\n3\r\n", "edited f"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := lay(t, files{"f": test.text})
			result := use(t, t.Context(), tool.EditFile(), dir, fields{"path": "f", "old": test.before, "new": test.after, "all": test.all})
			if result.Failed || !strings.Contains(result.Text, test.says) {
				t.Errorf("says %q", result.Text)
			}
			if got := content(t, dir, "f"); got != test.want {
				t.Errorf("wrote %q", got)
			}
		})
	}
}

func TestEditFile_MissingOrAmbiguousText_Fails(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, path, before, says string }{
		{"a text that is not there", "f", "four", "f: the old text is not in the file"},
		{"a text in other spaces", "f", "one  two", "not in the file"},
		{"a text that is there twice", "f", "one", "in lines 1, 3;"},
		{"a text that overlaps itself", "overlap", "aa", "more than once"},
		{"an empty file", "empty", "x", "not in the file"},
		{"a directory", "sub", "x", "sub is a directory"},
		{"a file that is not there", "none", "x", "no such file"},
		{"a file that is too large", "huge", "x", "larger than 16777216 bytes"},
	}
	dir := lay(t, files{"f": "one two\nthree\none\n", "overlap": "aaa", "empty": "", "sub/": "", "huge": ""})
	if err := os.Truncate(filepath.Join(dir, "huge"), 1<<40); err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result := use(t, t.Context(), tool.EditFile(), dir, fields{"path": test.path, "old": test.before, "new": "!"})
			if !result.Failed || !strings.Contains(result.Text, test.says) {
				t.Errorf("%+v", result)
			}
		})
	}
	t.Cleanup(func() {
		if content(t, dir, "f") != "one two\nthree\none\n" || everything(t, dir) != "empty f huge overlap sub" {
			t.Errorf("now there is %s", everything(t, dir))
		}
	})
}

func TestEditFile_ResultTooLarge_Fails(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"f": strings.Repeat("a", 10_000)})
	result := use(t, t.Context(), tool.EditFile(), dir, fields{"path": "f", "old": "a", "new": strings.Repeat("b", 10_000), "all": true})
	if !result.Failed || !strings.Contains(result.Text, "would be larger") {
		t.Errorf("%.200v", result)
	}
}

func TestEditFile_StoppedAnywhere_LeavesFileUnchanged(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("some text\n", 20_000)
	dir := lay(t, files{"f": text + "end"})
	run := func(ctx context.Context) tool.Result {
		return use(t, ctx, tool.EditFile(), dir, fields{"path": "f", "old": "end", "new": "END"})
	}
	stopEverywhere(t, run, func(stopped tool.Result) {
		if stopped.Text != "[stopped before anything was written: f is unchanged]" {
			t.Error(stopped.Text)
		}
		if everything(t, dir) != "f" || content(t, dir, "f") != text+"end" {
			t.Errorf("left behind: %s", everything(t, dir))
		}
	})
	if content(t, dir, "f") != text+"END" {
		t.Error("not changed at last")
	}
}

// An edit is based on the text that was read, and must not overwrite changes
// that another program makes in the meantime.
func TestEditFile_FileChangedMeanwhile_IsNotOverwritten(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"f": "one\n"})
	path := filepath.Join(dir, "f")
	ctx := &meanwhile{Context: t.Context(), do: func() { put(t, path, "somebody else's\n") }}
	result := use(t, ctx, tool.EditFile(), dir, fields{"path": "f", "old": "one", "new": "two"})
	if !result.Failed || !strings.Contains(result.Text, "in the meantime") || content(t, path) != "somebody else's\n" {
		t.Errorf("%+v, %q", result, content(t, path))
	}
}

// meanwhile calls do at the second call of Err, after the file has been read.
type meanwhile struct {
	context.Context
	reads int
	do    func()
}

func (m *meanwhile) Err() error {
	if m.reads++; m.reads == 2 {
		m.do()
	}
	return m.Context.Err()
}
