package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// GitPaths returns what a command needs to write, and must not write, so that
// "git commit" works in dir and the configuration stays as it is: git runs the
// programs that the configuration and the hooks name, also outside the sandbox.
//
// Each directory with such a file is in write, which makes it a mount point: it
// cannot be renamed and built again. A repository elsewhere counts only if it
// points back to dir, because a command can write what ".git" in dir contains.
// GitPaths creates a missing directory of hooks, which could otherwise be added.
func GitPaths(dir string) (write, readOnly []string) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, nil
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
			return nil, nil
		}
	}
}

// linked returns the paths of a worktree or a submodule: its .git is a file.
func linked(link string) (write, readOnly []string) {
	gitDir, ok := pointer(link, "gitdir:")
	if !ok {
		return nil, nil
	}
	readOnly = []string{link}
	common := filepath.Dir(filepath.Dir(gitDir))
	back, ok := pointer(filepath.Join(gitDir, "gitdir"), "")
	if ok && back == link && filepath.Base(filepath.Dir(gitDir)) == "worktrees" && isRepository(common) {
		w, r := repository(common)
		r = append(r, existing(gitDir, "commondir", "gitdir", "config.worktree")...)
		return append(w, filepath.Join(common, "worktrees"), gitDir), append(readOnly, r...)
	}
	if isRepository(gitDir) && pointsBack(filepath.Join(gitDir, "config"), gitDir, filepath.Dir(link)) {
		w, r := repository(gitDir)
		return w, append(readOnly, r...)
	}
	return nil, readOnly
}

// repository returns the paths of a repository and of its submodules.
func repository(gitDir string) (write, readOnly []string) {
	hooks := filepath.Join(gitDir, "hooks")
	_ = os.Mkdir(hooks, 0o755) //nolint:gosec // as git creates it; it usually exists
	write = []string{gitDir}
	readOnly = existing(gitDir, "config", "hooks", "config.worktree")
	modules := filepath.Join(gitDir, "modules")
	_ = filepath.WalkDir(modules, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || !e.IsDir():
			return nil //nolint:nilerr // what cannot be read is no repository that git can use
		case path == modules:
			write = append(write, path)
		case isRepository(path):
			w, r := repository(path)
			write, readOnly = append(write, w...), append(readOnly, r...)
			return filepath.SkipDir
		default:
			write = append(write, path) // a directory in a submodule's name
		}
		return nil
	})
	return write, readOnly
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
