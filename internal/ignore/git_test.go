package ignore_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bellcord/bellcord/internal/ignore"
)

// repo is a working tree of git.
type repo struct {
	dir   string
	fatal func(...any)
}

func newRepo(dir string, fatal func(...any)) *repo {
	r := &repo{dir, fatal}
	r.git("init", "-q")
	return r
}

func (r *repo) git(args ...string) string {
	cmd := exec.Command("git", append([]string{"-c", "core.excludesFile=" + filepath.Join(r.dir, ".git", "global")}, args...)...)
	cmd.Dir = r.dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		r.fatal(fmt.Sprintf("git %v: %v: %s", args, err, errs.String()))
	}
	return string(out)
}

func (r *repo) put(path, content string) {
	path = filepath.Join(r.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		r.fatal(err)
	}
}

func (r *repo) read(path string) ignore.Rules {
	text, err := os.ReadFile(filepath.Join(r.dir, path))
	if err != nil && !os.IsNotExist(err) {
		r.fatal(err)
	}
	return ignore.Parse(string(text))
}

// byGit returns the files that git does not ignore.
func (r *repo) byGit() []string {
	all := strings.Split(strings.TrimSuffix(r.git("ls-files", "-z", "--others", "--exclude-standard"), "\x00"), "\x00")
	slices.Sort(all)
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// byRules returns the files that a walk with the rules does not ignore.
func (r *repo) byRules() []string {
	var all []string
	var walk func(dir string, chain *ignore.Chain)
	walk = func(dir string, chain *ignore.Chain) {
		entries, err := os.ReadDir(filepath.Join(r.dir, dir))
		if err != nil {
			r.fatal(err)
		}
		chain = chain.With(dir, r.read(filepath.Join(dir, ".gitignore")))
		for _, e := range entries {
			path := strings.TrimPrefix(dir+"/"+e.Name(), "/")
			switch {
			case e.Name() == ".git" || chain.Ignores(path, e.IsDir()):
			case e.IsDir():
				walk(path, chain)
			default:
				all = append(all, path)
			}
		}
	}
	var chain *ignore.Chain
	walk("", chain.With("", r.read(".git/global")).With("", r.read(".git/info/exclude")))
	slices.Sort(all)
	return all
}

func (r *repo) compare(report func(string, ...any)) {
	want, got := r.byGit(), r.byRules()
	if slices.Equal(want, got) {
		return
	}
	var rules strings.Builder
	_ = filepath.WalkDir(r.dir, func(path string, e fs.DirEntry, _ error) error {
		if e.Name() == ".gitignore" || e.Name() == "exclude" || e.Name() == "global" {
			text, _ := os.ReadFile(path)
			fmt.Fprintf(&rules, "%s: %q\n", strings.TrimPrefix(path, r.dir), text)
		}
		return nil
	})
	for _, path := range want {
		if !slices.Contains(got, path) {
			report("git does not ignore %q\n%s", path, rules.String())
		}
	}
	for _, path := range got {
		if !slices.Contains(want, path) {
			report("git ignores %q\n%s", path, rules.String())
		}
	}
}

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
}

func TestChain_RandomRulesAndTrees_AgreesWithGit(t *testing.T) {
	t.Parallel()
	needGit(t)
	names := []string{"a", "b", "ab", "x.js", "y.js", "foo", "foo.txt", "é", ".hid", "a b", "[x]", "-"}
	path := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(names), 1, 4).Draw(t, "path"), "/")
	})
	part := rapid.OneOf(rapid.SampledFrom(names), rapid.SampledFrom([]string{
		"*", "**", "***", "*.js", "?", "??", "a*", "*b", "f*o", "[ab]", "[!a]", "[^a]", "[a-c]b", "[[:alpha:]]", "[[:punct:]]hid", `\a`, `\*`, "a?", "*.*", "[]-]", "[-x]", `[\]]`, "[x", "[a/b]", `\[x\]`, "*a*",
	}))
	line := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "", "", "!", "/", "!/", `\`, "#"}).Draw(t, "before") +
			strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "parts"), "/") +
			rapid.SampledFrom([]string{"", "", "", "/", "/", "/**", " ", `\ `, "\r", "  ", "\t"}).Draw(t, "after")
	})
	rules := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line, 0, 5).Draw(t, "rules"), "\n")
	})
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "ignore-*")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		r := newRepo(dir, t.Fatal)
		for _, p := range rapid.SliceOfN(path, 5, 25).Draw(t, "paths") {
			full := filepath.Join(dir, p)
			if os.MkdirAll(filepath.Dir(full), 0o700) == nil { // fails if a file has the name of a directory
				_ = os.WriteFile(full, nil, 0o600)
			}
		}
		r.put(".gitignore", rules.Draw(t, "top"))
		r.put(".git/info/exclude", rules.Draw(t, "exclude"))
		r.put(".git/global", rules.Draw(t, "global"))
		for _, sub := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 2).Draw(t, "nested") {
			if info, err := os.Stat(filepath.Join(dir, sub)); err == nil && info.IsDir() {
				r.put(sub+"/.gitignore", rules.Draw(t, "rules of "+sub))
			}
		}
		r.compare(t.Errorf)
	})
}

func TestChain_UnusualRules_AgreesWithGit(t *testing.T) {
	t.Parallel()
	needGit(t)
	paths := strings.Fields(`a.js src/a.js src/b.js src/deep/a.js node_modules/x/index.js src/node_modules/y.js build/out build/keep/me src/build/out logs/a.log logs/b.log
		deep/1/2/3/end deep/end !bang #hash x y z xy docs/a.md docs/api/b.md docs/api/c.txt tmp/a/b/c é/ü .env .env.local src/.env vendor/m/go.mod`)
	paths = append(paths, "trail ", "two  ", `back\slash`, "tab\t", "new[1]", "a]b")
	for _, rules := range []string{
		"[!x]\n", "[^x]\n", "[]x]\n", "[x-z]y\n", "[z-x]\n", "[[:digit:]]\n", "[[:nothing:]]\n", "[x\n", "new[[]1]\n", `new\[1\]`, "a[]]b\n",
		"**\n", "**/\n", "**/a.js\n", "src/**\n", "src/**/a.js\n", "/**/a.js\n", "deep/**/end\n", "deep/**/**/end\n", "**/build/**\n", "***/a.js\n", "src/***\n",
		"trail \n", "trail\\ \n", "two\\ \\ \n", "two\\  \n", "tab\t\n", "x \ny\t\n", "a.js\r\n", "\uFEFFa.js\n",
		"!bang\n", "\\!bang\n", "#hash\n", "\\#hash\n", "back\\\\slash\n", "x\\\n", "\\x\n",
		"node_modules\n", "node_modules/\n", "/node_modules\n", "node_modules/*\n", "src/node_modules\n", "//src\n", "src//a.js\n", "src/a.js/\n", "/\n", "/*\n", "!\n", "!/\n",
		"*\n!*.js\n", "*\n!*/\n!*.js\n", "/*\n!/src\n/src/*\n!/src/deep\n", "build\n!build/keep\n", "build/*\n!build/keep\n", "logs/*.log\n!logs/a.log\n", "*.js\n!src/*.js\nsrc/b.js\n",
		"docs/*\n!docs/api\ndocs/api/*\n!docs/api/*.md\n", "?\n", "??\n", "é\n", "é/?\n", "é/??\n", ".env*\n!.env.local\n", "*.*\n", "vendor/**/go.mod\n",
		"tmp/**/c\n", "tmp/*/c\n", "tmp/*/*/c\n", "*/a.js\n", "src/*/a.js\n", "[a/b].js\n", "src/[a/b].js\n", "src[/]a.js\n", "src?a.js\n", "src*a.js\n",
	} {
		t.Run(rules, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t.TempDir(), t.Fatal)
			for _, path := range paths {
				r.put(path, "")
			}
			r.put(".gitignore", rules)
			r.compare(t.Errorf)
		})
	}
	t.Run("across levels", func(t *testing.T) {
		t.Parallel()
		r := newRepo(t.TempDir(), t.Fatal)
		for _, path := range paths {
			r.put(path, "")
		}
		r.put(".git/global", "*.log\nsrc\n!x\n")
		r.put(".git/info/exclude", "!src\n*.md\nx\n")
		r.put(".gitignore", "*.js\n!logs/a.log\n/docs/api/\n")
		r.put("src/.gitignore", "!a.js\n/deep/*\n!/deep/a.js\n")
		r.put("src/deep/.gitignore", "a.js\n")
		r.put("docs/api/.gitignore", "!b.md\n")
		r.compare(t.Errorf)
		if got := r.byRules(); !slices.Contains(got, "src/a.js") || slices.Contains(got, "src/deep/a.js") || !slices.Contains(got, "logs/a.log") {
			t.Errorf("%q", got)
		}
	})
}
