package workspace

import (
	"errors"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/realdir"
)

// About returns a call on a file as input for a policy. Rules match the path
// relative to dir, with links resolved. In an additional directory they match
// the absolute path, with links resolved; rules that deny also match the path
// relative to that directory. A path outside is matched as written.
func (p Private) About(name string, effect permit.Effect, dir, path string, additional ...string) permit.Call {
	c := permit.Call{Tool: name, Effect: effect, Subject: filepath.ToSlash(path), Other: []string{filepath.ToSlash(path)}}
	in, rel, err := Dirs{Dir: dir, Additional: additional}.Locate(path)
	if err != nil {
		return c
	}
	c.Subject, c.Other = spellings(dir, in, rel)
	root, err := realdir.Open(in)
	if err != nil {
		return unopened(c, err)
	}
	defer func() { _ = root.Close() }()
	err = p.covers(in)
	var resolved string
	if err == nil {
		resolved, err = p.Real(root, rel)
	}
	if err != nil {
		c.Forbidden = err.Error()
		return c
	}
	subject, other := spellings(dir, in, resolved)
	c.Subject, c.Other = subject, append(c.Other, other...)
	if effect == permit.Edits {
		c.Steers = steers(root, resolved)
	}
	return c
}

// unopened returns a call in a directory that cannot be opened now. It may be there
// again when the call runs, with links that are not known.
func unopened(c permit.Call, err error) permit.Call {
	if errors.Is(err, realdir.ErrReplaced) {
		c.Forbidden = err.Error()
	}
	if c.Effect == permit.Edits {
		c.Steers = "its directory cannot be opened"
	}
	return c
}

// Others returns every path that a call may read in place of path. A deny rule
// that matches one of them denies the call.
func (p Private) Others(dir, path string, additional []string) (all []string) {
	for _, other := range (Dirs{Dir: dir, Additional: additional}).otherPaths(path) {
		c := p.About("", permit.Reads, dir, other.path, additional...)
		all = append(append(all, c.Subject), c.Other...)
	}
	return all
}

// Lists reports whether path, or a path that a call may read in its place, is a
// directory.
func (d Dirs) Lists(path string) bool {
	for _, other := range append([]otherPath{{path: path}}, d.otherPaths(path)...) {
		root, rel, err := d.OpenDir(other.path)
		if err != nil {
			continue
		}
		info, err := root.Stat(rel)
		_ = root.Close()
		if err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

// spellings returns the path that rules match, and all paths that rules which
// deny match, for the path rel in the directory in.
func spellings(dir, in, rel string) (subject string, all []string) {
	rel = filepath.ToSlash(rel)
	if in == dir {
		return rel, []string{rel}
	}
	subject = filepath.ToSlash(filepath.Join(in, rel))
	return subject, []string{subject, rel}
}
