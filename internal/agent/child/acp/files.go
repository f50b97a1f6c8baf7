package acp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
)

// errRefused means that the session's mode, a rule or the user does not allow
// the action.
var errRefused = errors.New("it is not allowed in this session")

// readFile returns a file in the session's directory, or some of its lines.
func (t *turn) readFile(ctx context.Context, p acp.ReadTextFileRequest) (any, error) {
	reads := t.throughEditor(tool.KeepOut(t.opts.Private, []tool.Tool{tool.ReadFile()})[0])
	call := t.opts.Private.About(reads.Name, permit.Reads, t.w.Session.Dir, p.Path, t.w.Session.AdditionalDirs...)
	if t.verdict([]permit.Call{call}) == permit.Deny {
		return nil, errRefused
	}
	values := map[string]any{"path": p.Path, "offset": max(p.Line, 1)}
	if p.Limit > 0 {
		values["limit"] = p.Limit
	}
	text, err := t.use(ctx, reads, values)
	if err != nil {
		return nil, err
	}
	return acp.ReadTextFileResponse{Content: text}, nil
}

// writeFile creates or replaces a file in the session's directory.
func (t *turn) writeFile(ctx context.Context, p acp.WriteTextFileRequest) (any, error) {
	writes := t.throughEditor(tool.KeepOut(t.opts.Private, []tool.Tool{tool.WriteFile()})[0])
	values := map[string]any{"path": p.Path, "content": p.Content}
	args, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	e, err := t.permit(ctx, effect{
		Call: writes.Permission(t.w.Session.Dir, args, t.w.Session.AdditionalDirs...), args: args, kind: acp.ToolEdit, question: writes.Question(args),
	})
	if err != nil {
		return nil, err
	}
	result, err := t.use(ctx, writes, values)
	if err != nil {
		result = err.Error()
	}
	fate := bellcord.CallFinished
	if ctx.Err() != nil && err != nil {
		fate = bellcord.CallStopped // in this case the tool has written nothing
	}
	t.done(e, bellcord.ToolCallEnded{Outcome: fate, Failed: err != nil, Result: result})
	return struct{}{}, err
}

// throughEditor returns the tool as the session's editor provides it, with
// unsaved changes, or the tool itself.
func (t *turn) throughEditor(own tool.Tool) tool.Tool {
	if t.opts.Editor == nil {
		return own
	}
	if tools := t.opts.Editor(t.w.Session.ID).Tools([]tool.Tool{own}); len(tools) == 1 {
		return tools[0]
	}
	return own
}

// use runs a built-in tool. A failed result is returned as an error.
func (t *turn) use(ctx context.Context, does tool.Tool, values map[string]any) (string, error) {
	args, err := json.Marshal(values)
	if err != nil {
		return "", err
	}
	if err := does.Check(args); err != nil {
		return "", invalid(err.Error())
	}
	result := does.Run(ctx, tool.Call{
		Turn: t.w.Turn, Session: t.w.Session.ID, Dir: t.w.Session.Dir, AdditionalDirs: t.w.Session.AdditionalDirs, Args: args, Raw: true, Held: &t.held, Output: func(string) {},
	})
	switch {
	case result.Failed && missing(result.Text):
		return "", &jsonrpc.Error{Code: int(acp.ResourceNotFound), Message: result.Text}
	case result.Failed || result.Fate != bellcord.CallFinished:
		return "", errors.New(result.Text)
	}
	return result.Text, nil
}

// missing reports whether a tool failed because the file does not exist. Agents
// that are about to create the file need this error.
func missing(text string) bool {
	return strings.Contains(text, "no such file") || strings.Contains(text, "cannot find")
}
