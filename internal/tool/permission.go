package tool

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/permit"
)

// Permission returns the call as input for a policy, in a session that works in
// dir and in the additional directories.
func (t Tool) Permission(dir string, args json.RawMessage, additional ...string) permit.Call {
	effect := t.Effect
	switch {
	case t.Question == nil:
		effect = permit.Reads
	case effect == "":
		effect = permit.Reaches
	}
	c := permit.Call{Tool: t.Name, Effect: effect}
	switch {
	case t.Path != "":
		path := named(t.Path)(dir, args)
		c = t.private.About(t.Name, effect, dir, path, additional...)
		if effect == permit.Reads {
			c.Other = append(c.Other, t.private.others(dir, path, additional)...)
		}
	case t.Subject != nil:
		c.Subject = t.Subject(dir, args)
	case t.Parts != nil:
		parts := t.Parts(args)
		if len(parts) == 0 { // checked before
			c.Forbidden = "the arguments are not valid"
		}
		for _, part := range parts {
			c.Parts = append(c.Parts, t.private.About(part.Tool, effect, dir, part.Path, additional...))
		}
	}
	if t.Changed != nil {
		c.Changed = t.Changed()
	}
	c.Altered = t.Altered != nil && t.Altered(args)
	c.Exact = compact(args)
	if t.Exact != nil {
		c.Exact = t.Exact(args)
	}
	return c
}

// About returns a call on a file as input for a policy. Rules match the path
// relative to dir, with links resolved. In an additional directory they match
// the absolute path, with links resolved; rules that deny also match the path
// relative to that directory. A path outside is matched as written.
func (p Private) About(name string, effect permit.Effect, dir, path string, additional ...string) permit.Call {
	c := permit.Call{Tool: name, Effect: effect, Subject: filepath.ToSlash(path), Other: []string{filepath.ToSlash(path)}}
	in, rel, err := locate(dir, additional, path)
	if err != nil {
		return c
	}
	c.Subject, c.Other = spellings(dir, in, rel)
	root, err := os.OpenRoot(in)
	if err != nil {
		return c
	}
	defer func() { _ = root.Close() }()
	err = p.covers(in)
	var resolved string
	if err == nil {
		resolved, err = p.resolve(root, rel)
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

// others returns every path that a call may read in place of path. A deny rule
// that matches one of them denies the call.
func (p Private) others(dir, path string, additional []string) (all []string) {
	for _, other := range otherPaths(Call{Dir: dir, AdditionalDirs: additional}, path) {
		c := p.About("", permit.Reads, dir, other.path, additional...)
		all = append(append(all, c.Subject), c.Other...)
	}
	return all
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

// compact removes the whitespace between JSON tokens. Text that is not valid
// JSON is returned unchanged.
func compact(args json.RawMessage) string {
	var text bytes.Buffer
	if err := json.Compact(&text, args); err != nil {
		return string(args)
	}
	return text.String()
}
