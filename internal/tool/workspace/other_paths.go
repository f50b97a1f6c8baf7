package workspace

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// otherPath is another path that a call may refer to, with a line or 0.
type otherPath struct {
	path string
	line int
}

var (
	// lineSuffix matches a line number after a path, as compilers, grep and links
	// write it: a.py:2, a.py:2:10, a.py:2-9, a.py#L2, a.py#L2-L9.
	lineSuffix = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(.+?)(?::(\d{1,9})(?:[:-]\d{1,9})?:?|#L(\d{1,9})(?:[-:]L?\d{1,9})?)$`)
	})
	// Containers are the directories in which other systems keep a project.
	Containers = []string{"workspace", "workspaces", "repo", "repos", "app", "project", "projects", "code", "src", "testbed", "work"}
)

// otherPaths returns the paths that a model may have meant with a path that
// does not exist: without quotes, @, a line number, the prefixes of a diff, ~
// or the root of another system. The result depends only on names, never on
// files, so that permission rules can be applied to it before the call.
func (d Dirs) otherPaths(path string) []otherPath {
	all := []otherPath{{path: path}}
	for _, step := range []func(otherPath) []otherPath{unquoted, unmentioned, unnumbered, d.unrooted} {
		for _, p := range all {
			for _, other := range step(p) {
				if other.path != "" && !slices.Contains(all, other) {
					all = append(all, other)
				}
			}
		}
	}
	return all[1:]
}

func unquoted(p otherPath) []otherPath {
	p.path = strings.Trim(p.path, " \t\n`'\"<>")
	return []otherPath{p}
}

func unmentioned(p otherPath) []otherPath {
	p.path = strings.TrimPrefix(p.path, "@")
	return []otherPath{p}
}

func unnumbered(p otherPath) []otherPath {
	m := lineSuffix().FindStringSubmatch(p.path)
	if m == nil {
		return nil
	}
	line, err := strconv.Atoi(m[2] + m[3])
	if err != nil || line == 0 {
		return nil
	}
	return []otherPath{{m[1], line}}
}

// unrooted returns p relative to the working directory: without the prefix of a
// diff, the home directory, or the root under which another system has the
// project.
func (d Dirs) unrooted(p otherPath) (all []otherPath) {
	path := filepath.ToSlash(p.path)
	first, rest, _ := strings.Cut(path, "/")
	switch {
	case first == "~":
		all = append(all, otherPath{rest, p.line})
		if home, err := os.UserHomeDir(); err == nil {
			all = append(all, otherPath{filepath.Join(home, rest), p.line})
		}
	case first == "a" || first == "b":
		all = append(all, otherPath{rest, p.line})
	case strings.HasPrefix(path, "/"):
		if _, _, err := d.Locate(p.path); err != nil {
			for _, inside := range tails(filepath.Base(d.Dir), path) {
				all = append(all, otherPath{inside, p.line})
			}
		}
	}
	return all
}

// tails returns an absolute path without its leading slash, and without a root
// of another system: one of containers, or a path to a directory with the same
// name as the project.
func tails(project, path string) []string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	all := []string{strings.Join(parts, "/")}
	for i, part := range parts[:len(parts)-1] {
		known := i == 0 && slices.Contains(Containers, part) || i == 1 && parts[0] == "workspaces"
		if known || part == project {
			all = append(all, strings.Join(parts[i+1:], "/"))
		}
	}
	return all
}
