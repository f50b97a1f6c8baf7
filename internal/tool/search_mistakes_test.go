package tool_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/tool"
	"pgregory.net/rapid"
)

func TestGlob_MistakenPattern_IsUnderstood(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"src/a.js": "", "src/deep/b.js": "", "top.go": "", "src/c.go": ""})
	for _, test := range []struct{ name, pattern, want string }{
		{"a name for any depth", "*.js", "[nothing matches *.js in the directory itself; these match **/*.js]\nsrc/a.js\nsrc/deep/b.js\n"},
		{"a name that the directory has", "*.go", "top.go\n"},
		{"a name that nothing has", "*.rs", "[no matches]\n"},
		{"an absolute pattern", filepath.ToSlash(dir) + "/src/*.js", "src/a.js\n"},
		{"an absolute pattern for the directory itself", filepath.ToSlash(dir) + "/*.go", "top.go\n"},
		{"a pattern from the top", "/**/b.js", "src/deep/b.js\n"},
		{"a pattern of another system", "/workspace/src/*.js", "[there is no /workspace/src/ here; this is src]\nsrc/a.js\n"},
		{"a path", filepath.ToSlash(dir) + "/top.go", "top.go\n"},
	} {
		if got := use(t, t.Context(), tool.Glob(), dir, fields{"pattern": test.pattern}); got.Failed || got.Text != test.want {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
	for _, pattern := range []string{"/etc/*", filepath.ToSlash(filepath.Dir(dir)) + "/elsewhere/*"} {
		if got := use(t, t.Context(), tool.Glob(), dir, fields{"pattern": pattern}); !got.Failed {
			t.Errorf("%s: %+v", pattern, got)
		}
	}
	other := lay(t, files{"x": ""})
	if got := use(t, t.Context(), tool.Glob(), dir, fields{"pattern": filepath.ToSlash(other) + "/*"}, other); !got.Failed || !strings.Contains(got.Text, "set path") {
		t.Errorf("an additional directory, whose rules apply only to path: %+v", got)
	}
}

func TestGrep_MistakenPattern_IsUnderstood(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"a": "foo(x)\nbar\n", "b": "a|b\n", "c.bin": "\x00nothing"})
	for _, test := range []struct {
		name string
		args fields
		want string
	}{
		{"text that is no expression", fields{"pattern": "foo("}, "[not a regular expression: error parsing regexp: missing closing ): `foo(`; searched for the literal text foo(]\na:1:foo(x)\n"},
		{"alternatives of basic expressions", fields{"pattern": `foo\|bar`}, "[nothing contains a literal |; these match foo|bar, where | separates alternatives]\na:1:foo(x)\na:2:bar\n"},
		{"a literal |", fields{"pattern": `a\|b`}, "b:1:a|b\n"},
		{"alternatives that match nothing", fields{"pattern": `no\|nix`}, "[no matches]\n[1 binary file not searched]\n"},
		{"an absolute glob", fields{"pattern": "bar", "glob": filepath.ToSlash(dir) + "/a"}, "a:2:bar\n"},
	} {
		if got := use(t, t.Context(), tool.Grep(), dir, test.args); got.Failed || got.Text != test.want {
			t.Errorf("%s: %q", test.name, got.Text)
		}
	}
}

func TestGrep_ManyMatches_ReturnsFilesWithCounts(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"a": strings.Repeat("x\n", 50), "b": "x\n", "big": strings.Repeat("y\n", 20_000)})
	for _, test := range []struct {
		args fields
		want string
	}{
		{fields{"pattern": "x"}, "a (50 matches)\nb (1 match)\n[51 matches in 2 files; narrow the search, or set max to get lines]\n"},
		{fields{"pattern": "x", "max": 1}, "a:1:x\n[cut after 1 match: there are 51 matches in 2 files; narrow the search]\n"},
		{fields{"pattern": "y"}, "big (10000 matches)\n[more than 10000 matches in 1 file; the search ended there; narrow the search, or set max to get lines]\n"},
		{fields{"pattern": "y", "max": 1}, "big:1:y\n[cut after 1 match: there are more than 10000 matches in 1 file; the search ended there; narrow the search]\n"},
	} {
		if got := use(t, t.Context(), tool.Grep(), dir, test.args); got.Text != test.want {
			t.Errorf("%v: %q", test.args, got.Text)
		}
	}
	if got := use(t, t.Context(), tool.Grep(), dir, fields{"pattern": "x", "path": "a"}).Text; strings.Count(got, "\n") != 50 || !strings.HasPrefix(got, "a:1:x\n") {
		t.Errorf("50 matches: %q", got)
	}
}

// The fast tests of a part of a file must never miss a line.
func TestGrep_RandomTextAndPattern_FindsWhatLineByLineSearchFinds(t *testing.T) {
	t.Parallel()
	dir := lay(t, nil)
	text := rapid.Custom(func(t *rapid.T) string {
		piece := rapid.SampledFrom([]string{"a", "b", "ab", "A", " ", "é", "\n", "\n", "\r\n", "\n\n", "\xff", "\t", "_", "\u017fky", "s\u212ay", "aB", strings.Repeat("long ", 900)})
		return strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "")
	})
	pattern := rapid.Custom(func(t *rapid.T) string {
		piece := rapid.SampledFrom([]string{"a", "b", "^", "$", ".", "b*", "(a|b)", `\b`, `\s`, `[^a]`, "é", "a+", `\A`, `\z`, "(?s:.)", "(?i:A)", "b{2}", "long ", "|", "\uFFFD", `\W`, "x?", "(?-m:^)", "(?m:$)", "sky", "AB", "(?i:sK)"})
		return strings.Join(rapid.SliceOfN(piece, 1, 4).Draw(t, "pattern"), "")
	})
	rapid.Check(t, func(rt *rapid.T) {
		content, p, fold := text.Draw(rt, "text"), pattern.Draw(rt, "pattern"), rapid.Bool().Draw(rt, "ignore case")
		full := p
		if fold {
			full = "(?i)" + p
		}
		re, err := regexp.Compile(full)
		if err != nil {
			rt.Skip()
		}
		put(t, filepath.Join(dir, "f"), content)
		var want []string
		for n, line := range strings.Split(strings.TrimSuffix(content, "\n"), "\n") {
			if content != "" && re.MatchString(strings.TrimSuffix(line, "\r")) {
				want = append(want, fmt.Sprint(n+1))
			}
		}
		var got []string
		for line := range strings.Lines(use(t, t.Context(), tool.Grep(), dir, fields{"pattern": p, "ignore_case": fold, "max": 200}).Text) {
			if rest, ok := strings.CutPrefix(line, "f:"); ok {
				n, _, _ := strings.Cut(rest, ":")
				got = append(got, n)
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			rt.Errorf("lines %v, want %v", got, want)
		}
	})
}
