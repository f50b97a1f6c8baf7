package sandbox

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Git lists what a command needs to write, and must not write, so that "git
// commit" works and the configuration stays as it is: git runs the programs that
// the configuration and the hooks name, also outside the sandbox.
type Git struct {
	Write    []string // the repository, if it is not in the session's directory
	ReadOnly []string
	Absent   []string // files that do not exist, and would name another configuration
	Links    []Link   // that lead to the repository, its configuration or its hooks
	Create   []string // missing directories of ReadOnly, which could otherwise be added
	Indexes  []Index  // of its worktrees and submodules
}

// Link is a symbolic link.
type Link struct{ Path, Target string }

// Index is the index of a worktree. It names the submodules there.
type Index struct{ Path, Root string }

func (g *Git) add(other Git) {
	g.Write = append(g.Write, other.Write...)
	g.ReadOnly = append(g.ReadOnly, other.ReadOnly...)
	g.Absent = append(g.Absent, other.Absent...)
	g.Links = append(g.Links, other.Links...)
	g.Create = append(g.Create, other.Create...)
	g.Indexes = append(g.Indexes, other.Indexes...)
}

// GitPaths returns the paths of the repository that dir belongs to. A repository
// elsewhere counts only if it points back to dir, because a command can write what
// ".git" in dir contains.
func GitPaths(dir string) Git {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Git{}
	}
	for ; ; dir = filepath.Dir(dir) {
		link := filepath.Join(dir, ".git")
		info, err := os.Lstat(link)
		switch {
		case err == nil && info.IsDir() && hasPart(link):
			all := repository(link, dir)
			all.Write = []string{link}
			all.protect(dir, "HEAD") // without a valid .git, git takes dir itself for the repository
			return all
		case err == nil && info.Mode().IsRegular():
			return linked(link)
		case err == nil && info.Mode()&os.ModeSymlink != 0:
			return redirected(link)
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
		all.add(repository(common, filepath.Dir(common)))
		all.Write = []string{common}
	case isRepository(gitDir) && worktreeOf(gitDir) == filepath.Dir(link):
		all.add(repository(gitDir, filepath.Dir(link)))
		all.Write = []string{gitDir}
	}
	return all
}

// redirected returns the paths of a repository whose .git is a symbolic link. It can
// be written only if it is in the session's directory.
func redirected(link string) Git {
	all := Git{}
	gitDir := all.keepLink(link)
	if gitDir != "" && hasPart(gitDir) {
		all.add(repository(gitDir, filepath.Dir(link)))
		all.protect(filepath.Dir(link), "HEAD")
	}
	return all
}

// mostModules is the number of directories in .git/modules or .git/worktrees in
// which the configuration of each is protected. With more of them, or with more than
// mostListed entries beside them, no command can change any.
const (
	mostModules = 1000
	mostListed  = 10_000
)

// repository returns what is protected in a repository, its worktrees and its
// submodules. worktree is that of the repository itself; "" if it has none.
func repository(gitDir, worktree string) Git {
	all := Git{Indexes: []Index{{filepath.Join(gitDir, "index"), worktree}}}
	all.protect(gitDir, "config", "hooks", "commondir", "config.worktree")
	trees := filepath.Join(gitDir, "worktrees")
	names, complete := directories(trees, mostModules)
	for _, name := range names {
		tree := filepath.Join(trees, name)
		all.protect(tree, "commondir", "gitdir", "config.worktree")
		if link, ok := pointer(filepath.Join(tree, "gitdir"), ""); ok {
			all.ReadOnly = append(all.ReadOnly, link)
			all.Indexes = append(all.Indexes, Index{filepath.Join(tree, "index"), filepath.Dir(link)})
		}
	}
	if !complete {
		all.ReadOnly = append(all.ReadOnly, trees)
	}
	modules, most := filepath.Join(gitDir, "modules"), mostModules
	if !all.addModules(modules, false, &most) {
		all.ReadOnly = append(all.ReadOnly, modules)
	}
	return all
}

// addModules adds the repositories in a directory, also those of submodules with a
// slash in their names, which a command may have put inside another repository. It
// reports whether it saw all, and visits most directories. inside means that dir is a
// repository that was added.
func (g *Git) addModules(dir string, inside bool, most *int) bool {
	names, complete := directories(dir, *most)
	*most -= len(names)
	for _, name := range names {
		path := filepath.Join(dir, name)
		added := hasPart(path)
		if added {
			g.add(repository(path, worktreeOf(path)))
		} else if inside && slices.Contains(otherParts, name) {
			continue
		}
		if !g.addModules(path, added, most) {
			return false
		}
	}
	return complete
}

// otherParts are the directories of a repository with many others in them, and those
// that are looked through otherwise. A submodule may have such a name, too.
var otherParts = []string{"objects", "refs", "logs", "lfs", "rr-cache", "modules", "worktrees"}

// directories returns the names of the directories in a directory, and whether these
// are all. A missing directory has none.
func directories(dir string, most int) (names []string, complete bool) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would block
	if err != nil {
		return nil, true
	}
	defer func() { _ = f.Close() }() // it was only read
	const atOnce = 100
	for range mostListed / atOnce {
		entries, err := f.ReadDir(atOnce)
		for _, e := range entries {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
		if len(names) > most {
			return names[:most], false
		}
		if err != nil {
			return names, true
		}
	}
	return names, false
}

// protect adds files of a repository that must stay as they are: existing ones
// become read-only, missing ones must not be created, and links must lead to the
// same place.
func (g *Git) protect(dir string, names ...string) {
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		switch {
		case err != nil && name == "hooks":
			g.Create, g.ReadOnly = append(g.Create, path), append(g.ReadOnly, path)
		case err != nil:
			g.Absent = append(g.Absent, path)
		case info.Mode()&os.ModeSymlink != 0:
			if target := g.keepLink(path); target != "" {
				g.ReadOnly = append(g.ReadOnly, target)
			}
		default:
			g.ReadOnly = append(g.ReadOnly, path)
		}
	}
}

// keepLink adds a link, and returns where it leads; "" if that does not exist.
func (g *Git) keepLink(path string) string {
	target, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	g.Links = append(g.Links, Link{path, target})
	real, _ := filepath.EvalSymlinks(path) // "" if it fails
	return real
}

// hasPart reports whether a directory has a part of a repository. A command can remove
// another part, change what is then not protected, and put the part back.
func hasPart(dir string) bool {
	return slices.ContainsFunc([]string{"HEAD", "objects", "refs", "config"}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// isRepository reports whether git uses a directory as a repository.
func isRepository(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// mostConfiguration is the size of a file that is read for what it names.
const mostConfiguration = 1 << 20

// read returns the start of a regular file. A command may have made a pipe of it, which
// would block.
func read(file string) (string, bool) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", false
	}
	defer func() { _ = f.Close() }() // it was only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	b, err := io.ReadAll(io.LimitReader(f, mostConfiguration))
	return string(b), err == nil
}

// pointer returns the path in a file of one line, without symbolic links.
func pointer(file, prefix string) (string, bool) {
	content, read := read(file)
	text, ok := strings.CutPrefix(strings.TrimSpace(content), prefix)
	if !read || !ok {
		return "", false
	}
	path := strings.TrimSpace(text)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	real, err := filepath.EvalSymlinks(path)
	return real, err == nil
}

// worktreeOf returns the worktree that the configuration of a submodule names, or "".
func worktreeOf(gitDir string) string {
	content, _ := read(filepath.Join(gitDir, "config"))
	for line := range strings.Lines(content) {
		name, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(name) != "worktree" {
			continue
		}
		path := strings.TrimSpace(value)
		if !filepath.IsAbs(path) {
			path = filepath.Join(gitDir, path)
		}
		real, _ := filepath.EvalSymlinks(path) // "" if it fails
		return real
	}
	return ""
}
