package tool

import (
	"context"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// binding is the state that a tool's calls use, which no call can choose.
type binding struct {
	private workspace.Private
	known   *knownFiles
	checker *syntaxChecker
	outputs func(bellcord.SessionID, string) bool // whether a path is an output of a session; may be nil
}

// bind returns a copy of the tool whose calls use b. It replaces an earlier
// binding.
func (t Tool) bind(b binding) Tool {
	if t.unbound == nil {
		t.unbound = t.Run
	}
	run := t.unbound
	t.binding = b
	t.Run = func(ctx context.Context, call Call) Result {
		call.binding = b
		return run(ctx, call)
	}
	return t
}

// running returns a copy of the tool that runs its calls with run, and keeps its
// binding.
func (t Tool) running(run func(context.Context, Call) Result) Tool {
	t.unbound = run
	return t.bind(t.binding)
}

// KeepOut returns copies of the tools that refuse private paths.
func KeepOut(p workspace.Private, tools []Tool) []Tool {
	out := slices.Clone(tools)
	for i, t := range out {
		b := t.binding
		b.private = p
		out[i] = t.bind(b)
	}
	return out
}
