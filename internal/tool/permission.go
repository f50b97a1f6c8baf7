package tool

import (
	"bytes"
	"encoding/json"

	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool/workspace"
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
		c = t.onPath(t.Name, effect, dir, path, additional)
		if t.Lists != "" && (workspace.Dirs{Dir: dir, Additional: additional}).Lists(path) {
			c = permit.Call{Tool: t.Name, Effect: effect, Parts: []permit.Call{c, t.onPath(t.Lists, effect, dir, path, additional)}}
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
	if t.EachTime != nil {
		c.EachTime = t.EachTime(args)
	}
	c.Altered = t.Altered != nil && t.Altered(args)
	c.Exact = compact(args)
	if t.Exact != nil {
		c.Exact = t.Exact(args)
	}
	return c
}

// onPath returns a call of a tool on a path as input for a policy. Rules that deny
// also apply to the paths that a reading call may use in place of path.
func (t Tool) onPath(name string, effect permit.Effect, dir, path string, additional []string) permit.Call {
	c := t.private.About(name, effect, dir, path, additional...)
	if effect == permit.Reads {
		c.Other = append(c.Other, t.private.Others(dir, path, additional)...)
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
