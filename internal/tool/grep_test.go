package tool_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/tool"
)

func TestGrep_Pattern_FindsMatchingLines(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{
		"a.go": "package a\n\nfunc One() {}\nfunc Two() {}\n", "b/c.go": "one\ntwo\nthree\nfour\nfive\nsix\nseven", "b/d.txt": "One\r\nzwei\r\n",
		"b/bom.txt": "\uFEFFfirst\n", "empty": "", "bin": "One\x00\n", "ü.md": "日本 One 日本\n", ".git/x": "One\n", "bad": "One \xff\xfe\n",
		"late.bin": strings.Repeat("text\n", 2000) + "One \x00\n",
	})
	tests := []struct {
		name string
		args fields
		want string
	}{
		{
			"everywhere, but not in .git and in what is binary",
			fields{"pattern": `\bOne\b`},
			"a.go:3:func One() {}\nb/d.txt:1:One\nbad:1:One \uFFFD\nlate.bin:2001:One \x00\nü.md:1:日本 One 日本\n",
		},
		{"in a file, up to an end without a line end", fields{"pattern": "seven$", "path": "b/c.go"}, "b/c.go:7:seven\n"},
		{"in a directory", fields{"pattern": "^One$", "path": "b"}, "b/d.txt:1:One\n"},
		{"in an absolute path", fields{"pattern": "^One$", "path": filepath.Join(dir, "b")}, "b/d.txt:1:One\n"},
		{"in files of a name", fields{"pattern": "o", "glob": "c.*"}, "b/c.go:1:one\nb/c.go:2:two\nb/c.go:4:four\n"},
		{"in files of a path", fields{"pattern": "Two|two", "glob": "b/*.go"}, "b/c.go:2:two\n"},
		{"in files of a path below a path", fields{"pattern": "two", "glob": "*.{go,rs}", "path": "b"}, "b/c.go:2:two\n"},
		{"in either case", fields{"pattern": "ZWEI|FUNC T", "ignore_case": true}, "a.go:4:func Two() {}\nb/d.txt:2:zwei\n"},
		{"characters of every length", fields{"pattern": "本 .ne"}, "ü.md:1:日本 One 日本\n"},
		{"behind a mark of the byte order", fields{"pattern": "^first"}, "b/bom.txt:1:first\n"},
		{"an empty line", fields{"pattern": "^$"}, "a.go:2:\n"},
		{
			"with the lines around",
			fields{"pattern": "three|seven", "path": "b/c.go", "context": 1},
			"b/c.go-2-two\nb/c.go:3:three\nb/c.go-4-four\n--\nb/c.go-6-six\nb/c.go:7:seven\n",
		},
		{
			"with lines around that touch",
			fields{"pattern": "two|five", "path": "b/c.go", "context": 1},
			"b/c.go-1-one\nb/c.go:2:two\nb/c.go-3-three\nb/c.go-4-four\nb/c.go:5:five\nb/c.go-6-six\n",
		},
		{
			"with lines around that overlap",
			fields{"pattern": "two|three", "path": "b/c.go", "context": 2},
			"b/c.go-1-one\nb/c.go:2:two\nb/c.go:3:three\nb/c.go-4-four\nb/c.go-5-five\n",
		},
		{
			"with lines around in several files",
			fields{"pattern": "One|one", "glob": "{a,c}.go", "context": 1},
			"a.go-2-\na.go:3:func One() {}\na.go-4-func Two() {}\n--\nb/c.go:1:one\nb/c.go-2-two\n",
		},
		{"as many as are asked for", fields{"pattern": "func", "max": 1}, "a.go:3:func One() {}\n[cut after 1 match: there are 2 matches in 1 file; narrow the search]\n"},
		{"just as many as there are", fields{"pattern": "func", "max": 2}, "a.go:3:func One() {}\na.go:4:func Two() {}\n"},
		{"nowhere", fields{"pattern": "nowhere"}, "[no matches]\n[1 binary file not searched]\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := use(t, t.Context(), tool.Grep(), dir, test.args); got.Failed || got.Text != test.want {
				t.Errorf("%q", got.Text)
			}
		})
	}
	for path, says := range map[string]string{"bin": "bin is not a text file", "none": "no such file"} {
		if got := use(t, t.Context(), tool.Grep(), dir, fields{"pattern": "One", "path": path}); !got.Failed || !strings.Contains(got.Text, says) {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

func TestGrep_LongOutput_IsCutWithNotice(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{
		"many": strings.Repeat("match\n", 201), "wide": strings.Repeat("é", 500) + "\n",
		"far": strings.Repeat("日", 30_000) + "here" + strings.Repeat("日", 30_000), "farther": strings.Repeat("x", 1<<20) + "here\nhere\n",
	})
	many := use(t, t.Context(), tool.Grep(), dir, fields{"pattern": "match", "path": "many", "max": 200}).Text
	if strings.Count(many, ":match") != 200 || !strings.HasSuffix(many, "many:200:match\n[cut after 200 matches: there are 201 matches in 1 file; narrow the search]\n") {
		t.Errorf("many: %q", many[len(many)-100:])
	}
	if wide := use(t, t.Context(), tool.Grep(), dir, fields{"pattern": "^é", "glob": "w*"}).Text; wide != "wide:1:"+strings.Repeat("é", 400)+"…\n" {
		t.Errorf("wide: %q", wide)
	}
	far := use(t, t.Context(), tool.Grep(), dir, fields{"pattern": "he.e", "path": "far"}).Text
	if !strings.HasPrefix(far, "far:1:…日") || !strings.Contains(far, "日here日") || len([]rune(far)) > 420 {
		t.Errorf("far: %q", far)
	}
	farther := use(t, t.Context(), tool.Grep(), dir, fields{"pattern": "here", "path": "farther"}).Text
	if farther != "farther:2:here\n[1 long line searched only in the first 1048576 bytes]\n" {
		t.Errorf("farther: %q", farther)
	}
}

func TestGrep_StopInLongSearch_EndsSoon(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"huge/f": "first\n" + strings.Repeat("some text\n", 1000), "slow/f": strings.Repeat("ab", 1<<19)})
	if err := os.Truncate(filepath.Join(dir, "huge", "f"), 1<<40); err != nil { // a line without an end, in a sparse file
		t.Fatal(err)
	}
	for _, test := range []struct{ name, path, pattern string }{
		{"in a file that is huge", "huge/f", "^first"},
		{"in a directory with one", "huge", "^first"},
		{"with an expression that is slow", "slow", "(?:[ab]{1,900}[cd]){1}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			search := func(ctx context.Context) tool.Result {
				return use(t, ctx, tool.Grep(), dir, fields{"pattern": test.pattern, "path": test.path})
			}
			inTime(t, search)
			result := search(&cutAt{Context: t.Context(), reads: 500})
			if strings.HasPrefix(test.path, "huge") && !strings.HasPrefix(result.Text, "[output so far]\nhuge/f (1 match)\n") {
				t.Errorf("%.100q", result.Text)
			}
		})
	}
}
