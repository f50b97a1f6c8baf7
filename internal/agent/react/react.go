// Package react is the native agent: it sends the conversation to a model, runs
// the tool calls that the model requests, and repeats this with the results. It
// keeps no conversation in memory: each step reads it from the log, so a stop
// has nothing to save.
package react

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/workspace"
	"github.com/bellcord/bellcord/internal/undo"
)

// Agent implements hub.Agent.
type Agent struct {
	// Model returns the model for a session's "provider/model".
	Model func(name string) (Model, error)
	Tools []tool.Tool
	// More returns additional tools of a session, such as those of its MCP
	// servers; each replaces the tool with the same name, if any. Starting servers
	// is part of the turn: it ends with ctx. May be nil.
	More func(ctx context.Context, s bellcord.Session) []tool.Tool
	// Background returns the processes that a session has declared to outlive a
	// turn. May be nil.
	Background func(bellcord.SessionID) []bellcord.Process
	// Plan adds the tool update_plan.
	Plan bool
	// Undo records the changes of calls to files; nil records nothing.
	Undo *undo.Recorder
	// Policy decides which calls may run; nil means a policy without rules.
	Policy *permit.Policy

	// Sandboxed reports whether commands run in a sandbox. Nil means that they do
	// not.
	Sandboxed func() bool
	// System is the template of the system prompt; "" means the built-in one.
	System string
	// Instructions lists files to include in every system prompt, in addition to
	// those of the session's directory.
	Instructions []string
	// Private are the files that never become instructions.
	Private workspace.Private
	// CompactAt is the share of a model's window at which the conversation is
	// compacted; 0 means never.
	CompactAt float64
	// Titles is the model that generates session titles; if "", a session's title
	// is its first words.
	Titles string

	once  sync.Once
	modes firstModes
}

// Model is a model for a turn.
type Model struct {
	llm.Model
	Name   string          // the provider's name for it
	Price  *bellcord.Price // nil if unknown
	Window int64           // in tokens, 0 if unknown
	Media  llm.Media       // what it accepts in addition to text
	// TextOnly is set if the model is known to accept no images, even in prompts.
	TextOnly bool
}

// job is the work of one turn.
type job struct {
	*Agent
	w         *hub.Work
	record    *undo.Turn
	model     Model
	tools     []tool.Tool
	system    string
	scale     float64 // ratio of the model's token counts to our estimates
	compacted bool    // after the model rejected a request as too long
	answer    string  // text of the last answer, as far as textCall needs it
	nudged    bool    // after an answer that was a tool call written as text
	failures  failures
	touched   []string // files that the last calls have read or changed
	images    imageBudget
	ignored   []instruction // that are not in the system prompt
	held      realdir.Held  // the session's directories
}

// scanDelay is the time until the first scan of the session's directory starts,
// unless a call needs it earlier. Most models take longer to request a call, and a
// short answer without calls needs no scan.
const scanDelay = 150 * time.Millisecond

// Run implements hub.Agent. The bounds (steps, time, tokens) belong to the
// turn: when one is exceeded, ctx ends.
func (a *Agent) Run(ctx context.Context, w *hub.Work) error {
	j := &job{Agent: a, w: w, record: a.Undo.Turn(w.Session, w.Turn, w.Report()), scale: 1}
	defer j.record.Close()
	if a.Background != nil {
		defer func() { w.Report().Background(a.Background(w.Session.ID)) }()
	}
	if w.Prompt.Task == bellcord.TaskCommand {
		return j.runCommand(ctx)
	}
	var err error
	if j.model, err = a.Model(w.Session.Model); err != nil {
		return err
	}
	j.tools = j.toolset(ctx, w.Session)
	if j.system, j.ignored, err = a.systemPrompt(w.Session); err != nil {
		return err
	}
	if w.Prompt.Task == bellcord.TaskCompact {
		return j.compact(ctx, 0, w.Prompt.Text)
	}
	j.record.Warm(scanDelay)
	defer j.entitle(ctx)()
	if err := j.attach(ctx); err != nil {
		return err
	}
	if err := j.noteMode(ctx); err != nil {
		return err
	}
	if err := j.noteIgnored(ctx); err != nil {
		return err
	}
	for {
		calls, err := j.step(ctx)
		if err != nil {
			return err
		}
		if len(calls) == 0 {
			if again, err := j.nudge(ctx); err != nil || !again {
				return err
			}
			continue
		}
		if err := j.act(ctx, calls); err != nil {
			return err
		}
		if err := j.instruct(ctx); err != nil {
			return err
		}
	}
}

// toolset returns the tools that the session's model can call.
func (j *job) toolset(ctx context.Context, s bellcord.Session) []tool.Tool {
	tools := slices.Clone(j.Tools)
	if j.Plan {
		tools = append(tools, j.planTool())
	}
	if j.More == nil {
		return tools
	}
	for _, t := range j.More(ctx, s) {
		if i := slices.IndexFunc(tools, func(other tool.Tool) bool { return other.Name == t.Name }); i >= 0 {
			tools[i] = t
		} else {
			tools = append(tools, t)
		}
	}
	return tools
}
