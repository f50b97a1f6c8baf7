package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

func TestReadFile_LongFile_IsReturnedInPagesThatJoinToTheFile(t *testing.T) {
	t.Parallel()
	var whole strings.Builder
	for i := range 5321 {
		fmt.Fprintf(&whole, "line %d %s\n", i+1, strings.Repeat("x", i%90))
	}
	dir := lay(t, files{"f": whole.String()})
	var got strings.Builder
	next, calls := 1, 0
	for ; next > 0 && calls < 100; calls++ {
		text := use(t, t.Context(), tool.ReadFile(), dir, fields{"path": "f", "offset": next}).Text
		if len(text) > 50<<10+100 || strings.Count(text, "\n") > 2001 {
			t.Fatalf("%d bytes, %d lines", len(text), strings.Count(text, "\n"))
		}
		next = 0
		for line := range strings.Lines(text) {
			if note, ok := strings.CutPrefix(line, "[lines "); ok {
				if !strings.Contains(note, " of 5321") {
					t.Errorf("the note has no total: %s", line)
				}
				_, after, _ := strings.Cut(note, "continue with offset ")
				_, _ = fmt.Sscan(after, &next)
				continue
			}
			_, line, _ = strings.Cut(line, "→")
			got.WriteString(line)
		}
	}
	if got.String() != whole.String() || calls < 4 {
		t.Errorf("%d calls returned %d of %d bytes", calls, got.Len(), whole.Len())
	}
}

func TestReadFile_UnusualContent_IsDescribed(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{
		"long": "first\n" + strings.Repeat("é", 150_000) + "\nlast", "crlf": "a\r\nb\r\n", "bom": "\uFEFFa\n", "latin": "caf\xe9\n", "sub/x": "1", "empty": "",
		"a.png": "\x89PNG\r\n\x1a\n\x00\x00", "text.png": "not an image\n", "p": "%PDF-1.7\n", "z": "PK\x03\x04abc", "elf": "\x7fELF\x00\x00", "data": "a\x00b",
		"bitmap.txt": "BM is a text\n", "wide": "\xff\xfea\x00b\x00",
	})
	for _, test := range []struct {
		name   string
		args   fields
		failed bool
		want   string
	}{
		{"a long line", fields{"path": "long"}, false, "1→first\n2→" + strings.Repeat("é", 2000) + "… [cut: the line has 300000 bytes]\n3→last\n"},
		{"the line after a long line", fields{"path": "long", "offset": 3}, false, "3→last\n[lines 3-3 of 3]\n"},
		{"an offset after the end", fields{"path": "long", "offset": 9}, true, "error: offset 9 is after the end: long has 3 lines"},
		{"an offset in an empty file", fields{"path": "empty", "offset": 2}, true, "error: offset 2 is after the end: empty has 0 lines"},
		{"an empty file", fields{"path": "empty"}, false, "[empty is empty]\n"},
		{"CRLF", fields{"path": "crlf"}, false, "1→a\n2→b\n[the lines end in CRLF]\n"},
		{"a byte order mark", fields{"path": "bom"}, false, "1→a\n"},
		{"Latin-1", fields{"path": "latin"}, false, "1→caf\uFFFD\n"},
		{"a directory", fields{"path": "sub"}, false, "[sub is a directory; its entries:]\nx\t1\n"},
		{"an image", fields{"path": "a.png"}, true, "error: a.png: it is an image (image/png, 10 bytes), and this model does not accept images"},
		{"a text with the name of an image", fields{"path": "text.png"}, false, "1→not an image\n"},
		{"a text that begins like an image", fields{"path": "bitmap.txt"}, false, "1→BM is a text\n"},
		{"a PDF", fields{"path": "p"}, true, "error: p: it is a PDF of 9 bytes, and this model does not accept PDFs; to get its text, use shell, for example: pdftotext -layout p -"},
		{"an archive", fields{"path": "z"}, true, "error: z is not text: application/zip, 7 bytes"},
		{"a program", fields{"path": "elf"}, true, "error: elf is not text: an ELF program, 6 bytes"},
		{"data", fields{"path": "data"}, true, "error: data is not text: binary data, 3 bytes"},
		{"UTF-16", fields{"path": "wide"}, true, "error: wide is not text: UTF-16 text; convert it with iconv to read it, 6 bytes"},
	} {
		if got := use(t, t.Context(), tool.ReadFile(), dir, test.args); got.Failed != test.failed || got.Text != test.want {
			t.Errorf("%s: %.300q", test.name, got.Text)
		}
	}
}

func TestReadFile_MistakenPath_ReadsTheOnlyFileMeantAndNamesIt(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"a.py": "one\ntwo\n", "src/b.py": "b\n", "both/x": "", "app/both/x": "", "odd:2": "odd\n", "a/in_a.py": "", "in_a.py": "root\n"})
	for path, want := range map[string]string{
		"/a.py":                 "a.py",
		"/workspace/a.py":       "a.py",
		"/workspaces/x/a.py":    "a.py",
		"/else/work/src/b.py":   "src/b.py", // the directory is called work, too
		"~/a.py":                "a.py",
		"a/a.py":                "a.py",
		"b/src/b.py":            "src/b.py",
		"@a.py":                 "a.py",
		"`a.py`":                "a.py",
		`"a.py"`:                "a.py",
		"'/workspace/src/b.py'": "src/b.py",
		"` a.py `":              "a.py",
	} {
		got := use(t, t.Context(), tool.ReadFile(), dir, fields{"path": path})
		note, text, _ := strings.Cut(got.Text, "\n")
		if got.Failed || !strings.HasSuffix(note, "; this is "+want+"]") || !strings.HasPrefix(text, "1→") {
			t.Errorf("%s: %+v", path, got)
		}
	}
	for path, want := range map[string]string{
		"a.py:2": "2→two\n[lines 2-2 of 2]\n", "a.py:2:7": "2→two\n[lines 2-2 of 2]\n", "a.py#L2": "2→two\n[lines 2-2 of 2]\n", "@a.py:1-2": "1→one\n2→two\n",
		"odd:2": "1→odd\n", "a/in_a.py": "[a/in_a.py is empty]\n",
	} {
		if got := use(t, t.Context(), tool.ReadFile(), dir, fields{"path": path}); got.Failed || !strings.HasSuffix(got.Text, want) {
			t.Errorf("%s: %+v", path, got)
		}
	}
	if got := use(t, t.Context(), tool.ReadFile(), dir, fields{"path": "/app/both/x"}); !got.Failed || !strings.HasSuffix(got.Text, "did you mean app/both/x, both/x?") {
		t.Errorf("two files: %+v", got)
	}
	for _, of := range []tool.Tool{tool.ListDir(), tool.Grep(), tool.Glob()} {
		args := fields{"path": "/workspace/src"}
		if of.Name != "list_dir" {
			args["pattern"] = "b*"
		}
		if got := use(t, t.Context(), of, dir, args); got.Failed || !strings.HasPrefix(got.Text, "[there is no /workspace/src here; this is src]\n") {
			t.Errorf("%s: %+v", of.Name, got)
		}
	}
}

func TestReadFile_MisspelledPath_SuggestsUpToThreeNames(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"README.md": "", "src/main.go": "", "src/main_test.go": "", "src/make.go": "", "src/maim.go": "", "src/x.ts": ""})
	for path, want := range map[string]string{
		"readme.MD":    "did you mean README.md?",
		"SRC/main.go":  "did you mean src/main.go?",
		"src/mian.go":  "did you mean src/main.go, src/maim.go, src/make.go?",
		"src/zzz.rs":   "no such file or directory",
		"src/x.ts/y":   "did you mean src/x.ts?",
		"/etc/passwd":  "is outside the working directory",
		"../a.py":      "is outside the working directory",
		"/etc/main.go": "is outside the working directory",
	} {
		if got := use(t, t.Context(), tool.ReadFile(), dir, fields{"path": path}); !got.Failed || !strings.HasSuffix(got.Text, want) {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

// A path that is read in place of another must not lead outside, and must not
// bypass a rule.
func TestReadFile_MistakenPath_StaysInsideAndFollowsRules(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"key": "->TOP/elsewhere/key.txt", "out": "->../elsewhere", "secrets/k": "secret\n", "l": "->secrets"})
	for _, path := range []string{"/key", "@key", "/workspace/out/key.txt", "a/key", "~/out/key.txt", "`key`", "/work/../../elsewhere/key.txt", "@../elsewhere/key.txt", "key:1"} {
		if got := use(t, t.Context(), tool.ReadFile(), dir, fields{"path": path}); !got.Failed || strings.Contains(got.Text, "secret\n") {
			t.Errorf("%s: %+v", path, got)
		}
	}
	policy, err := permit.NewPolicy(nil, []string{"read_file(secrets/*)"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"secrets/k", "/secrets/k", "@secrets/k", "/workspace/secrets/k", "secrets/k:1", "`b/secrets/k`", "~/secrets/k", "/repo/l/k"} {
		args, err := json.Marshal(fields{"path": path})
		if err != nil {
			t.Fatal(err)
		}
		if d := policy.Decide(permit.Session{}, permit.Full, tool.ReadFile().Permission(dir, args)); d.Verdict != permit.Deny {
			t.Errorf("%s: %+v", path, d)
		}
	}
	strict := tool.Call{Dir: dir, Args: json.RawMessage(`{"path":"/secrets/k"}`), AsWritten: true}
	if got := tool.ReadFile().Run(t.Context(), strict); !got.Failed {
		t.Errorf("a path as written: %+v", got)
	}
}

func TestReadFile_PrivateFileByMistakenPath_IsRefused(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"data/store": "secret\n"})
	private := workspace.Private{Paths: []string{filepath.Join(dir, "data")}}
	of := tool.KeepOut(private, []tool.Tool{tool.ReadFile()})[0]
	for _, path := range []string{"data/store", "/data/store", "@data/store", "/workspace/data", "data/stroe", "data/store:1"} {
		if got := use(t, t.Context(), of, dir, fields{"path": path}); !got.Failed || strings.Contains(got.Text, "secret") || strings.Contains(got.Text, "did you mean") {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

func TestReadFile_HugeFile_CountsLinesOnlyInPart(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"f": strings.Repeat("x\n", 5000)})
	if err := os.Truncate(filepath.Join(dir, "f"), 1<<40); err != nil {
		t.Fatal(err)
	}
	got := use(t, t.Context(), tool.ReadFile(), dir, fields{"path": "f", "limit": 1})
	if got.Text != "1→x\n[lines 1-1 of more than 5000; continue with offset 2]\n" {
		t.Errorf("%+v", got)
	}
}

// A program that writes the text back must not change the file.
func TestReadFile_RawCall_ReturnsTheLinesUnchanged(t *testing.T) {
	t.Parallel()
	whole := "\uFEFFone\r\n" + strings.Repeat("a line\n", 10_000) + strings.Repeat("x", 9000) + "\nend"
	dir := lay(t, files{"f": whole, "huge": strings.Repeat("x", 9<<20), "sub/": ""})
	editor := tool.EditorTools{Read: func(_ context.Context, path string, line, limit int) (string, error) {
		return fmt.Sprintf("%s from %d, %d lines", filepath.Base(path), line, limit), nil
	}}
	for _, c := range []struct {
		of         tool.Tool
		args, want string
		failed     bool
	}{
		{tool.ReadFile(), `{"path":"f"}`, whole, false},
		{tool.ReadFile(), `{"path":"f","offset":2,"limit":2}`, "a line\na line\n", false},
		{tool.ReadFile(), `{"path":"f","offset":20000}`, "", false},
		{tool.ReadFile(), `{"path":"huge"}`, "error: the file, or one of its lines, is too long", true},
		{tool.ReadFile(), `{"path":"sub"}`, "error: sub is a directory", true},
		{tool.ReadFile(), `{"path":"/f"}`, "error: /f is outside the working directory", true},
		{editor.Tools([]tool.Tool{tool.ReadFile()})[0], `{"path":"f","offset":2,"limit":3}`, "f from 2, 3 lines", false},
	} {
		got := c.of.Run(t.Context(), tool.Call{Dir: dir, Args: json.RawMessage(c.args), Raw: true})
		if got.Failed != c.failed || got.Text != c.want {
			t.Errorf("%s: %.200q", c.args, got.Text)
		}
	}
}
