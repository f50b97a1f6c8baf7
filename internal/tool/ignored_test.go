package tool_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/tool"
)

// names returns the first field of each line of a result that is not a note.
func names(result tool.Result) string {
	var all []string
	for line := range strings.Lines(result.Text) {
		if !strings.HasPrefix(line, "[") {
			name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
			name, _, _ = strings.Cut(name, "\t")
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}

// Not parallel: it sets the home directory.
func TestFileTools_IgnoreRules_ApplyFromEverySource(t *testing.T) {
	home := lay(t, files{".gitconfig": "[user]\n\tname = x\n[Core]\n\texcludesfile = ~/mine\n", "mine": "*.global\n"})
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "none"))
	top := lay(t, files{
		".git/info/exclude": "*.excluded\n", ".gitignore": "*.log\nbuild/\n", "pkg/.gitignore": "!keep.log\n/local\n", "pkg/.ignore": "*.min.js\n!extra.global\n",
		"pkg/a.js": "s\n", "pkg/a.min.js": "s\n", "pkg/a.log": "s\n", "pkg/keep.log": "s\n", "pkg/x.global": "s\n", "pkg/extra.global": "s\n", "pkg/y.excluded": "s\n",
		"pkg/build/out.js": "s\n", "pkg/local": "s\n", "pkg/sub/local": "s\n", "pkg/sub/.git/config": "s\n", "pkg/sub/link": "->../a.log",
	})
	run := func(dir string, args fields) (list, glob, grep tool.Result) {
		with := func(more fields) fields {
			for k, v := range args {
				more[k] = v
			}
			return more
		}
		return use(t, t.Context(), tool.ListDir(), dir, with(fields{"depth": 9})), use(t, t.Context(), tool.Glob(), dir, with(fields{"pattern": "**"})),
			use(t, t.Context(), tool.Grep(), dir, with(fields{"pattern": "s"}))
	}
	list, glob, grep := run(filepath.Join(top, "pkg"), nil)
	if got, want := names(list), ".gitignore .ignore a.js extra.global keep.log sub/ sub/link -> ../a.log sub/local"; got != want {
		t.Errorf("list_dir: %s", got)
	}
	if got, want := names(glob), ".gitignore .ignore a.js extra.global keep.log sub/ sub/link sub/local"; got != want {
		t.Errorf("glob: %s", got)
	}
	if got, want := names(grep), ".ignore a.js extra.global keep.log sub/local"; got != want {
		t.Errorf("grep: %s", got)
	}
	for _, result := range []tool.Result{list, glob, grep} {
		if !strings.Contains(result.Text, "[ignored by .gitignore rules: 6 names, not included; set include_ignored to include them]\n") {
			t.Errorf("no note: %s", result.Text)
		}
	}
	fromTop := func(dir string, path string) string {
		_, glob, _ := run(dir, fields{"path": path})
		return names(glob)
	}
	if got := fromTop(top, "pkg"); got != "pkg/.gitignore pkg/.ignore pkg/a.js pkg/extra.global pkg/keep.log pkg/sub/ pkg/sub/link pkg/sub/local" {
		t.Errorf("with a path: %s", got)
	}
	if got := fromTop(top, "pkg/build"); got != "pkg/build/out.js" {
		t.Errorf("an ignored directory that the call names: %s", got)
	}
	if got := names(use(t, t.Context(), tool.Grep(), top, fields{"pattern": "s", "path": "pkg/a.log"})); got != "pkg/a.log" {
		t.Errorf("an ignored file that the call names: %s", got)
	}
	list, glob, grep = run(filepath.Join(top, "pkg"), fields{"include_ignored": true})
	for _, result := range []tool.Result{list, glob, grep} {
		if got := names(result); !strings.Contains(got, "build/out.js") || !strings.Contains(got, "a.min.js") || strings.Contains(got, ".git/") || strings.Contains(result.Text, "ignored by") {
			t.Errorf("with include_ignored: %s", result.Text)
		}
	}
}

// The worktree's rules are in the repository's directory, which .git names.
func TestFileTools_LinkedWorktree_HasTheExcludesOfTheRepository(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	main := lay(t, files{"a": "s\n"})
	linked := filepath.Join(filepath.Dir(main), "linked")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "x"}, {"worktree", "add", "-q", linked}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = main
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	put(t, filepath.Join(main, ".git", "info", "exclude"), "b\n")
	put(t, filepath.Join(linked, "b"), "s\n")
	if got := names(use(t, t.Context(), tool.Glob(), linked, fields{"pattern": "*"})); got != "a" {
		t.Errorf("%s", got)
	}
}

// A link must not make rules of a file outside, and a pipe must not block.
func TestFileTools_RuleFileThatIsALink_IsNotRead(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"secret": "", "sub/secret": "", ".gitignore": "->TOP/elsewhere/key.txt", "sub/.gitignore": "->../../elsewhere/key.txt"})
	for _, path := range []string{"", "sub"} {
		if got := names(use(t, t.Context(), tool.Glob(), dir, fields{"pattern": "**", "path": path})); !strings.Contains(got, "sub/secret") {
			t.Errorf("%s", got)
		}
	}
}

func TestGlobAndGrep_Results_AreNewestFirst(t *testing.T) {
	t.Parallel()
	dir := lay(t, files{"a": "x\n", "b": "x\n", "c": "x\n"})
	for name, age := range map[string]time.Duration{"a": 3 * time.Hour, "b": time.Hour, "c": 2 * time.Hour} {
		when := sameTime.Add(-age)
		if err := os.Chtimes(filepath.Join(dir, name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	if got := use(t, t.Context(), tool.Glob(), dir, fields{"pattern": "*"}); got.Text != "b\nc\na\n" {
		t.Errorf("glob: %q", got.Text)
	}
	if got := use(t, t.Context(), tool.Grep(), dir, fields{"pattern": "x"}); got.Text != "b:1:x\nc:1:x\na:1:x\n" {
		t.Errorf("grep: %q", got.Text)
	}
}
