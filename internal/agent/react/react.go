// Package react is the native agent: it asks a model, does what the model asks
// for, and asks again with the results. The conversation is not kept here: each
// step reads it from the log, so a stop has nothing to save.
package react

import (
	"context"
	"slices"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
)

// Agent is a bellcord.Agent.
type Agent struct {
	// Model finds the model for a session's "provider/model".
	Model func(name string) (Model, error)
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

	// System is the template of the system prompt, "" for our own.
	System string
	// Instructions names files that every session's model is told, besides
	// those of its directory.
	Instructions []string
	// CompactAt is the share of a model's window at which the conversation is
	// compacted, 0 for never.
	CompactAt float64
	// Titles is the model that names sessions, "" for their first words.
	Titles string

	once sync.Once
}

// Model is one that a turn can use.
type Model struct {
	llm.Model
	Name   string          // as its provider calls it
	Price  *bellcord.Price // nil where it is not known
	Window int64           // how many tokens fit, 0 where it is not known
}

// job is one turn's work.
type job struct {
	*Agent
	w         *hub.Work
	model     Model
	tools     []tool.Tool
	system    string
	scale     float64 // how far our estimates are from what the model counts
	compacted bool    // because the model said that it was too much
}

// Run implements bellcord.Agent: the whole loop. Its bounds (steps, time,
// tokens) are the turn's own and end ctx.
func (a *Agent) Run(ctx context.Context, w *hub.Work) error {
	j := &job{Agent: a, w: w, scale: 1}
	var err error
	if j.model, err = a.Model(w.Session.Model); err != nil {
		return err
	}
	if a.Background != nil {
		defer func() { w.Background(a.Background(w.Session.ID)) }()
	}
	j.tools = a.toolset(ctx, w.Session)
	if j.system, err = a.systemPrompt(w.Session); err != nil {
		return err
	}
	if w.Prompt.Task == bellcord.TaskCompact {
		return j.compact(ctx, 0, w.Prompt.Text)
	}
	defer j.entitle(ctx)()
	if err := j.attach(ctx); err != nil {
		return err
	}
	for {
		calls, err := j.step(ctx)
		if err != nil || len(calls) == 0 {
			return err
		}
		if err := a.act(ctx, w, calls); err != nil {
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
