package acp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/permit"
)

// cancelled answers a permission that nobody will give any more.
var cancelled = obj{"outcome": obj{"outcome": "cancelled"}}

// permissionOption is an answer that the agent offers.
type permissionOption struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// requestPermission lets the session's mode and rules decide, and puts the rest
// to a person. The call is in the log before the question.
func (t *turn) requestPermission(params json.RawMessage) func(context.Context) (any, error) {
	var p struct {
		Call    callUpdate         `json:"toolCall"`
		Options []permissionOption `json:"options"`
	}
	if err := json.Unmarshal(params, &p); err != nil || p.Call.ID == "" {
		return func(context.Context) (any, error) { return nil, invalid("no permission that could be asked for") }
	}
	t.mu.Lock()
	p.Call.Status = "" // a question is no progress
	c := t.call(p.Call)
	t.show(c)
	c.waits = !c.started
	// Under its own name a call can only be denied, by a rule that names it.
	asked := append(t.effects(c), permit.Call{Tool: c.proper(), Effect: permit.Looks, Subject: c.title})
	title := c.title
	t.mu.Unlock()
	return func(ctx context.Context) (any, error) {
		chosen, err := t.decide(ctx, c, asked, title, p.Options)
		switch {
		case t.ctx.Err() != nil:
			<-t.told // the agent hears of the stop first: a refusal alone would not end its turn
			return cancelled, nil
		case err != nil:
			return nil, err
		case chosen == nil:
			return cancelled, nil
		}
		if strings.HasPrefix(chosen.Kind, "allow") {
			t.mu.Lock()
			c.waits, c.allowed = false, true
			t.mu.Unlock()
		}
		return obj{"outcome": obj{"outcome": "selected", "optionId": chosen.ID}}, nil
	}
}

// decide picks one of the agent's options; nil when none of them fits.
func (t *turn) decide(ctx context.Context, c *call, asked []permit.Call, title string, options []permissionOption) (*permissionOption, error) {
	switch t.verdict(asked) {
	case permit.Allow:
		return fitting(options, "allow"), nil
	case permit.Deny:
		return fitting(options, "reject"), nil
	case permit.Put:
	}
	if title == "" {
		title = c.proper()
	}
	question := bellcord.Question{Call: c.id, Text: title}
	for _, o := range options {
		question.Choices = append(question.Choices, bellcord.Choice{ID: o.ID, Text: o.Name, Kind: o.Kind})
	}
	choice, err := t.w.Ask(ctx, question)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(options, func(o permissionOption) bool { return o.ID == choice }); i >= 0 {
		return &options[i], nil
	}
	return fitting(options, "reject"), nil // said by somebody who could not be shown the options
}

// fitting is the narrowest option of a sort: once before always.
func fitting(options []permissionOption, sort string) *permissionOption {
	for _, kind := range []string{sort + "_once", sort} {
		if i := slices.IndexFunc(options, func(o permissionOption) bool { return strings.HasPrefix(o.Kind, kind) }); i >= 0 {
			return &options[i]
		}
	}
	return nil
}

// verdict is the strictest of what the policy says of a call's effects.
func (t *turn) verdict(asked []permit.Call) permit.Verdict {
	session, verdict := t.w.Session, permit.Allow
	for _, c := range asked {
		switch t.opts.Policy.Decide(string(session.ID), permit.Mode(session.Mode), c).Verdict {
		case permit.Deny:
			return permit.Deny
		case permit.Put:
			verdict = permit.Put
		case permit.Allow:
		}
	}
	return verdict
}

// effects is what a call does, in the words of our own tools where it can be
// told, so that a rule for shell or write_file holds for every agent's.
func (t *turn) effects(c *call) []permit.Call {
	own := permit.Call{Tool: c.proper(), Effect: permit.Reaches, Subject: c.title}
	switch c.kind {
	case "think":
		own.Effect = permit.Looks
	case "read", "search":
		return t.onFiles(c, own, "read_file", permit.Looks)
	case "edit", "delete", "move":
		return t.onFiles(c, own, "write_file", permit.Edits)
	case "execute", "other", "": // goose says which only when it has been allowed
		if command := c.field("command", "cmd"); command != "" {
			return []permit.Call{{Tool: "shell", Effect: permit.Executes, Subject: command}}
		}
	case "fetch":
		if url := c.field("url"); url != "" {
			return []permit.Call{{Tool: "fetch", Effect: permit.Reaches, Subject: url}}
		}
	}
	return []permit.Call{own}
}

// onFiles is an effect on each of the files that a call names. Outside of the
// session's directory neither looking nor changing is free.
func (t *turn) onFiles(c *call, own permit.Call, tool string, effect permit.Effect) []permit.Call {
	paths := slices.Clone(c.paths)
	for _, content := range c.content {
		if content.Type == "diff" {
			paths = append(paths, content.Path)
		}
	}
	if named := c.field("path", "file_path", "filePath"); named != "" {
		paths = append(paths, named)
	}
	own.Effect = effect
	if len(paths) == 0 {
		return []permit.Call{own}
	}
	var all []permit.Call
	for _, path := range paths {
		one := permit.Call{Tool: tool, Effect: effect, Subject: filepath.ToSlash(path)}
		if rel, inside := within(t.w.Session.Dir, path); inside {
			one.Subject = filepath.ToSlash(rel)
		} else {
			one.Effect = permit.Reaches
		}
		all = append(all, one)
	}
	return all
}

// within is a path relative to a directory, and whether it is inside by name; by
// the directory's other one, where links lead to it, too.
func within(dir, path string) (string, bool) {
	if !filepath.IsAbs(path) {
		rel := filepath.Clean(path)
		return rel, filepath.IsLocal(rel)
	}
	bases := []string{dir}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		bases = append(bases, resolved)
	}
	for _, base := range bases {
		if rel, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(rel) {
			return rel, true
		}
	}
	return path, false
}
