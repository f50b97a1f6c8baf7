package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Git lists what a command needs to write, and must not write, so that "git
// commit" works and the configuration stays as it is: git runs the programs that
// the configuration and the hooks name, also outside the sandbox.
type Git struct {
	Write    []string
	ReadOnly []string
	Absent   []string // files that do not exist, and would name another configuration
}

func (g *Git) add(other Git) {
	g.Write = append(g.Write, other.Write...)
	g.ReadOnly = append(g.ReadOnly, other.ReadOnly...)
	g.Absent = append(g.Absent, other.Absent...)
}

// GitPaths returns the paths of the repository that dir belongs to.
//
// Each directory with such a file is in Write, which makes it a mount point: it
// cannot be renamed and built again. A repository elsewhere counts only if it
// points back to dir, because a command can write what ".git" in dir contains.
// GitPaths creates a missing directory of hooks, which could otherwise be added.
func GitPaths(dir string) Git {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Git{}
	}
	for ; ; dir = filepath.Dir(dir) {
		link := filepath.Join(dir, ".git")
		info, err := os.Lstat(link)
		switch {
		case err == nil && info.IsDir() && isRepository(link):
			return repository(link)
		case err == nil && info.Mode().IsRegular():
			return linked(link)
		case err == nil || dir == filepath.Dir(dir):
			return Git{}
		}
	}
}

// linked returns the paths of a worktree or a submodule: its .git is a file.
func linked(link string) Git {
	gitDir, ok := pointer(link, "gitdir:")
	if !ok {
		return Git{}
	}
	all := Git{ReadOnly: []string{link}}
	common := filepath.Dir(filepath.Dir(gitDir))
	back, ok := pointer(filepath.Join(gitDir, "gitdir"), "")
	switch {
	case ok && back == link && filepath.Base(filepath.Dir(gitDir)) == "worktrees" && isRepository(common):
		all.add(repository(common))
		all.add(Git{Write: []string{filepath.Join(common, "worktrees"), gitDir}, ReadOnly: existing(gitDir, "commondir", "gitdir", "config.worktree")})
	case isRepository(gitDir) && pointsBack(filepath.Join(gitDir, "config"), gitDir, filepath.Dir(link)):
		all.add(repository(gitDir))
	}
	return all
}

// repository returns the paths of a repository and of its submodules.
func repository(gitDir string) Git {
	hooks := filepath.Join(gitDir, "hooks")
	_ = os.Mkdir(hooks, 0o755) //nolint:gosec // as git creates it; it usually exists
	all := Git{Write: []string{gitDir}, ReadOnly: existing(gitDir, "config", "hooks")}
	for _, name := range []string{"commondir", "config.worktree"} {
		if found := existing(gitDir, name); found != nil {
			all.ReadOnly = append(all.ReadOnly, found...)
		} else {
			all.Absent = append(all.Absent, filepath.Join(gitDir, name))
		}
	}
	modules := filepath.Join(gitDir, "modules")
	_ = filepath.WalkDir(modules, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || !e.IsDir():
			return nil //nolint:nilerr // what cannot be read is no repository that git can use
		case path != modules && isRepository(path):
			all.add(repository(path))
			return filepath.SkipDir
		}
		all.Write = append(all.Write, path) // also a directory in a submodule's name
		return nil
	})
	return all
}

func isRepository(dir string) bool {
	for _, name := range []string{"HEAD", "config", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

func existing(dir string, names ...string) []string {
	var all []string
	for _, name := range names {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			all = append(all, path)
		}
	}
	return all
}

// pointer returns the path in a file of one line, without symbolic links.
func pointer(file, prefix string) (string, bool) {
	b, err := os.ReadFile(file)
	text, ok := strings.CutPrefix(strings.TrimSpace(string(b)), prefix)
	if err != nil || !ok {
		return "", false
	}
	path := strings.TrimSpace(text)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	real, err := filepath.EvalSymlinks(path)
	return real, err == nil
}

// pointsBack reports whether the configuration of a submodule names its worktree.
func pointsBack(config, gitDir, worktree string) bool {
	b, err := os.ReadFile(config)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(name) != "worktree" {
			continue
		}
		path := strings.TrimSpace(value)
		if !filepath.IsAbs(path) {
			path = filepath.Join(gitDir, path)
		}
		real, err := filepath.EvalSymlinks(path)
		return err == nil && real == worktree
	}
	return false
}
