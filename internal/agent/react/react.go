// Package react is the native agent: it asks a model, does what the model asks
// for, and asks again with the results. The conversation is not kept here: each
// step reads it from the log, so a stop has nothing to save.
package react

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
)

// Agent is a bellcord.Agent.
type Agent struct {
	// Model finds the model for a session's "provider/model" and its name there.
	Model func(name string) (llm.Model, string, error)
	Tools []tool.Tool
	// More returns what a session has besides, such as its MCP servers' tools;
	// one that has the name of another takes its place. Starting servers is
	// work of the turn: it ends with ctx. May be nil.
	More func(ctx context.Context, s bellcord.Session) []tool.Tool
	// Background returns the processes that a session has declared to go on
	// after a turn. May be nil.
	Background func(bellcord.SessionID) []bellcord.Process
	// Policy decides which calls may run; nil for one without rules.
	Policy *permit.Policy
	once   sync.Once
}

// Run implements bellcord.Agent: the whole loop. Its bounds (steps, time,
// tokens) are the turn's own and end ctx.
func (a *Agent) Run(ctx context.Context, w *bellcord.Work) error {
	model, name, err := a.Model(w.Session.Model)
	if err != nil {
		return err
	}
	if a.Background != nil {
		defer func() { w.Background(a.Background(w.Session.ID)) }()
	}
	tools := a.toolset(ctx, w.Session)
	for {
		reply, err := ask(ctx, w, model, name, tools)
		if err != nil || len(reply) == 0 {
			return err
		}
		if err := a.act(ctx, w, reply); err != nil {
			return err
		}
	}
}

// toolset is what the session's model can use.
func (a *Agent) toolset(ctx context.Context, s bellcord.Session) []tool.Tool {
	tools := slices.Clone(a.Tools)
	if a.More == nil {
		return tools
	}
	for _, t := range a.More(ctx, s) {
		if i := slices.IndexFunc(tools, func(other tool.Tool) bool { return other.Name == t.Name }); i >= 0 {
			tools[i] = t
		} else {
			tools = append(tools, t)
		}
	}
	return tools
}

// ask is one step: it sends the conversation and records the answer as it comes.
func ask(ctx context.Context, w *bellcord.Work, model llm.Model, name string, tools []tool.Tool) ([]call, error) {
	history, err := w.History(ctx)
	if err != nil {
		return nil, err
	}
	req := llm.Request{Model: name, System: systemPrompt(w.Session), Messages: bellcord.ForModel(history, w.Session.Model)}
	for _, t := range tools {
		req.Tools = append(req.Tools, t.Tool)
	}
	if err := w.Step(ctx, bellcord.StepStarted{Model: w.Session.Model, Input: req.EstimateTokens()}); err != nil {
		return nil, err
	}
	reply, err := model.Ask(ctx, req, w.Emit)
	w.Mark(bellcord.StreamClosed)
	if err != nil {
		return nil, err
	}
	calls := make([]call, len(reply.Calls))
	for i, c := range reply.Calls {
		calls[i] = understand(c, tools)
		if err := w.Emit(calls[i].Called); err != nil {
			return nil, err
		}
	}
	return calls, w.Emit(bellcord.StepEnded{Finish: reply.Finish, Usage: reply.Usage})
}

func systemPrompt(s bellcord.Session) string {
	return strings.Join([]string{
		"You are Bellcord, a coding agent. You work in the directory " + s.Dir + ".",
		"Use the tools to look before you change anything, and say briefly what you do.",
		"The person can stop you at any moment. What you are told in square brackets about stopped calls and turns is true: do not assume that a stopped call had no effect, and do not repeat it without looking.",
	}, "\n")
}
