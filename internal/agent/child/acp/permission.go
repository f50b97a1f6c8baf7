package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// requestPermission decides a permission request by the session's mode and
// rules; otherwise the user must decide. The call is in the log before the
// question.
func (t *turn) requestPermission(params json.RawMessage) func(context.Context) (any, error) {
	var p acp.RequestPermissionRequest
	var raw struct {
		ToolCall json.RawMessage `json:"toolCall"`
	}
	_ = json.Unmarshal(params, &raw) // checked next
	if err := json.Unmarshal(params, &p); err != nil || p.ToolCall.ToolCallID == "" {
		return func(context.Context) (any, error) { return nil, invalid("the permission request names no tool call") }
	}
	t.mu.Lock()
	p.ToolCall.Status = "" // a permission request is not progress
	c := t.callOf(p.ToolCall)
	c.waits = !c.started
	t.updateCallLocked(p.ToolCall, raw.ToolCall)
	// By its own name a call can only be denied, by a rule that names it.
	calls := append(t.effects(c), permit.Call{Tool: c.proper(), Effect: permit.Reads, Subject: c.now.Title})
	answer := c.kind() == acp.ToolThink // it has no effect to permit: the agent wants the user's answer
	question := bellcord.Question{Call: c.logID, Text: cmp.Or(c.now.Title, c.proper()), Meta: shownMeta(params)}
	for _, o := range p.Options {
		question.Choices = append(question.Choices, bellcord.Choice{ID: o.OptionID, Text: o.Name, Kind: string(o.Kind), Meta: o.Meta})
	}
	t.mu.Unlock()
	return func(ctx context.Context) (any, error) {
		chosen, err := t.decide(ctx, calls, question, p.Options, answer)
		switch {
		case t.ctx.Err() != nil:
			<-t.cancelSent // the agent must receive the cancel first: a rejection alone would not end its turn
			return acp.CancelledPermission(), nil
		case err != nil:
			return nil, err
		case chosen == nil:
			return acp.CancelledPermission(), nil
		}
		if strings.HasPrefix(string(chosen.Kind), "allow") {
			t.mu.Lock()
			c.waits, c.allowed = false, true
			t.mu.Unlock()
		}
		return acp.Selected(chosen.OptionID), nil
	}
}

// decide returns one of the agent's options, or nil if none of them fits. If
// answer is set, the user chooses it, unless the policy denies the call.
func (t *turn) decide(ctx context.Context, calls []permit.Call, question bellcord.Question, options []acp.PermissionOption, answer bool) (*acp.PermissionOption, error) {
	switch verdict := t.verdict(calls); {
	case verdict == permit.Deny:
		return fitting(options, "reject"), nil
	case verdict == permit.Allow && !answer:
		return fitting(options, "allow"), nil
	}
	choice, err := t.w.Ask(ctx, question)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(options, func(o acp.PermissionOption) bool { return o.OptionID == choice }); i >= 0 {
		return &options[i], nil
	}
	return fitting(options, "reject"), nil // the answer is not one of the options, for example from a client that could not show them
}

// fitting returns the narrowest option of a kind (once before always), or nil.
func fitting(options []acp.PermissionOption, sort string) *acp.PermissionOption {
	for _, kind := range []string{sort + "_once", sort} {
		if i := slices.IndexFunc(options, func(o acp.PermissionOption) bool { return strings.HasPrefix(string(o.Kind), kind) }); i >= 0 {
			return &options[i]
		}
	}
	return nil
}

// verdict returns the strictest of the policy's verdicts on the calls.
func (t *turn) verdict(calls []permit.Call) permit.Verdict {
	s, verdict := t.w.Session, permit.Allow
	where := permit.Session{ID: string(s.ID), Owner: s.Owner, Dir: s.Dir}
	for _, c := range calls {
		switch t.opts.Policy.Decide(where, permit.Mode(s.Mode), c).Verdict {
		case permit.Deny:
			return permit.Deny
		case permit.Put:
			verdict = permit.Put
		case permit.Allow:
		}
	}
	return verdict
}

// effects returns the effects of a call, expressed as calls of built-in tools
// where possible, so that a rule for shell or write_file applies to every
// agent.
func (t *turn) effects(c *call) []permit.Call {
	own := permit.Call{Tool: c.proper(), Effect: permit.Reaches, Subject: c.now.Title}
	switch c.kind() {
	case acp.ToolThink:
		own.Effect = permit.Reads
	case acp.ToolRead, acp.ToolSearch:
		return t.onFiles(c, own, "read_file", permit.Reads)
	case acp.ToolEdit, acp.ToolDelete, acp.ToolMove:
		return t.onFiles(c, own, "write_file", permit.Edits)
	case acp.ToolExecute, acp.ToolOther, "": // goose sends the kind only after the permission
		if command := c.field("command", "cmd"); command != "" {
			return []permit.Call{{Tool: "shell", Effect: permit.Executes, Subject: command}}
		}
	case acp.ToolFetch:
		if url := c.field("url"); url != "" {
			return []permit.Call{{Tool: "fetch", Effect: permit.Reaches, Subject: url}}
		}
	case acp.ToolSwitchMode:
	}
	return []permit.Call{own}
}

// onFiles returns one effect for each file that a call names. Reading and
// writing outside of the session's directory has the effect Reaches.
func (t *turn) onFiles(c *call, own permit.Call, tool string, effect permit.Effect) []permit.Call {
	paths := slices.Clone(c.paths)
	for _, content := range c.content {
		if content.Type == acp.TypeDiff {
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
		one := t.opts.Private.About(tool, effect, t.w.Session.Dir, path, t.w.Session.AdditionalDirs...)
		if _, _, err := t.dirs().Locate(path); err != nil {
			one.Effect = permit.Reaches
		}
		all = append(all, one)
	}
	return all
}

// dirs returns the directories that the agent may access through Bellcord.
func (t *turn) dirs() workspace.Dirs {
	return workspace.Dirs{Dir: t.w.Session.Dir, Additional: t.w.Session.AdditionalDirs, Private: t.opts.Private, Held: &t.held}
}
