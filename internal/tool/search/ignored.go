package search

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord/internal/ignore"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// mostRules is the maximum size of a file with ignore rules, in bytes.
const mostRules = 1 << 20

// ruleNames are the files with ignore rules in a directory. Rules in .ignore
// take precedence: a project may ignore files that git does not.
var ruleNames = []string{".gitignore", ".ignore"}

// Repository returns the topmost directory of the repository that contains a
// directory, if there is one.
func Repository(ctx context.Context, dir string) (top string, ok bool) {
	for top = dir; ctx.Err() == nil; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			return top, true
		}
		if filepath.Dir(top) == top {
			break
		}
	}
	return "", false
}

// above adds the rules that apply to root and to path in it: those of the user,
// of the repository, and of the directories from the top of the repository to
// the parent of path. The top may be above root. Only rules are read there, and
// they can only reduce a result.
func (r *ruleFiles) above(ctx context.Context, root *os.Root, path string) {
	if r.off {
		return
	}
	top, ok := Repository(ctx, root.Name())
	if !ok {
		top = root.Name()
	}
	for _, file := range []string{globalExcludes(), filepath.Join(gitDir(top), "info", "exclude")} {
		r.chain = r.chain.With("", readRules(os.OpenFile(file, workspace.Reading, 0)))
	}
	prefix, err := filepath.Rel(top, root.Name())
	if err != nil {
		return
	}
	if prefix != "." {
		r.prefix = filepath.ToSlash(prefix) + "/"
	}
	dir := top
	for name := range strings.SplitSeq(filepath.Join(prefix, path), string(filepath.Separator)) {
		if name == "." {
			return
		}
		rel, err := filepath.Rel(top, dir)
		if err != nil {
			return
		}
		if rel == "." {
			rel = ""
		}
		for _, file := range ruleNames {
			file = filepath.Join(dir, file)
			if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() { // not a link, as in git
				r.chain = r.chain.With(filepath.ToSlash(rel), readRules(os.OpenFile(file, workspace.Reading, 0)))
			}
		}
		dir = filepath.Join(dir, name)
	}
}

// enter adds the rules of an open directory.
func (r *ruleFiles) enter(dir *workspace.Dir, path string, entries []fs.DirEntry) {
	if r.off {
		return
	}
	for _, e := range entries {
		name := e.Name()
		if name > ruleNames[1] {
			return // entries are sorted
		}
		if e.Type().IsRegular() && (name == ruleNames[0] || name == ruleNames[1]) {
			rules := readRules(dir.Open(name))
			r.chain = r.chain.With(strings.TrimSuffix(r.prefix+filepath.ToSlash(path), "/"), rules)
		}
	}
}

// readRules parses an open file. A file that cannot be read has no rules.
func readRules(f *os.File, err error) ignore.Rules {
	text, err := readRegular(f, err)
	if err != nil {
		return nil
	}
	return ignore.Parse(text)
}

// readRegular reads and closes an open file. A device or a pipe is not read: it may
// have no end.
func readRegular(f *os.File, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", f.Name())
	}
	text, err := io.ReadAll(io.LimitReader(f, mostRules))
	return string(text), err
}

// gitDir returns the directory with the data of the repository at top. In a
// linked worktree, .git is a file with the path of another directory, which
// names the common one.
func gitDir(top string) string {
	dir := filepath.Join(top, ".git")
	text, err := readRegular(os.OpenFile(dir, workspace.Reading, 0))
	if err != nil {
		return dir // a directory
	}
	link, ok := strings.CutPrefix(text, "gitdir: ")
	if !ok {
		return dir
	}
	dir = absolute(top, strings.TrimSpace(link))
	if common, err := readRegular(os.OpenFile(filepath.Join(dir, "commondir"), workspace.Reading, 0)); err == nil {
		dir = absolute(dir, strings.TrimSpace(common))
	}
	return dir
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// globalExcludes returns the path of the user's file with ignore rules:
// core.excludesFile, or git/ignore in the configuration directory.
func globalExcludes() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	file := filepath.Join(config, "git", "ignore")
	for _, settings := range []string{filepath.Join(config, "git", "config"), filepath.Join(home, ".gitconfig")} {
		text, err := os.ReadFile(settings)
		if err != nil {
			continue
		}
		if value := excludesFile(string(text)); value != "" {
			file = value
		}
	}
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return file
}

// excludesFile returns core.excludesFile in the text of a git configuration, or
// "".
func excludesFile(config string) (value string) {
	section := ""
	for line := range strings.Lines(config) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.Trim(line, "[] \t"))
		}
		key, text, ok := strings.Cut(line, "=")
		if ok && section == "core" && strings.EqualFold(strings.TrimSpace(key), "excludesFile") {
			value = strings.Trim(strings.TrimSpace(text), `"`)
		}
	}
	return value
}
