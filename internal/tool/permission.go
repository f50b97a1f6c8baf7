package tool

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/permit"
)

// Permission returns the call as input for a policy, in a session that works in
// dir.
func (t Tool) Permission(dir string, args json.RawMessage) permit.Call {
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
		c = t.private.About(t.Name, effect, dir, named(t.Path)(dir, args))
	case t.Subject != nil:
		c.Subject = t.Subject(dir, args)
	}
	if t.Changed != nil {
		c.Changed = t.Changed()
	}
	c.Exact = compact(args)
	if t.Exact != nil {
		c.Exact = t.Exact(args)
	}
	return c
}

// About returns a call on a file as input for a policy. Rules match the path
// relative to the directory, with links resolved; a path outside the directory
// is matched as written.
func (p Private) About(name string, effect permit.Effect, dir, path string) permit.Call {
	c := permit.Call{Tool: name, Effect: effect, Subject: filepath.ToSlash(path), Written: filepath.ToSlash(path)}
	rel, err := inRoot(dir, path)
	if err != nil {
		return c
	}
	c.Subject, c.Written = filepath.ToSlash(rel), filepath.ToSlash(rel)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return c
	}
	defer func() { _ = root.Close() }()
	err = p.covers(dir)
	var resolved string
	if err == nil {
		resolved, err = p.resolve(root, rel)
	}
	if err != nil {
		c.Forbidden = err.Error()
		return c
	}
	c.Subject = filepath.ToSlash(resolved)
	if effect == permit.Edits {
		c.Steers = steers(root, resolved)
	}
	return c
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
