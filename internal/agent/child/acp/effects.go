package acp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/permit"
)

// effect is an action on behalf of the agent: a file to write or a command to
// run.
type effect struct {
	permit.Call
	args     json.RawMessage
	kind     acp.ToolKind
	question string

	own string // id of the effect's call in the log; "" if it belongs to a call of the agent
}

// permit decides whether an effect may happen, and returns an error if not. The
// effect belongs to the agent's open call, and a permission for that call also
// covers the effect. If the agent has no open call, permit emits a separate
// call, so that the log shows every effect. The call is durable before the
// effect happens (law 26).
func (t *turn) permit(ctx context.Context, e effect) (effect, error) {
	verdict := t.verdict([]permit.Call{e.Call})
	t.mu.Lock()
	about, allowed := "", false
	for _, c := range t.calls {
		if c.called && !c.ended {
			about, allowed = c.logID, allowed || c.allowed
		}
	}
	if about == "" {
		t.own++
		e.own = fmt.Sprintf("%s-%d", e.kind, t.own)
		about = e.own
		t.emit(bellcord.ToolCallRequested{Call: e.own, Name: e.Tool, ToolKind: string(e.kind), Arguments: e.args})
	}
	t.mu.Unlock()
	var err error
	switch {
	case verdict == permit.Deny:
		err = errRefused
	case verdict == permit.Put && !allowed:
		err = t.approve(ctx, about, e.question)
	}
	if err == nil && e.own != "" {
		t.emit(bellcord.ToolCallStarted{Call: e.own})
	}
	if err == nil {
		err = t.w.Sync(ctx)
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		t.done(e, bellcord.ToolCallEnded{Outcome: bellcord.CallNotStarted, Failed: true, Result: "[not started: " + err.Error() + "]"})
	}
	return e, err
}

// done records the end of an effect. For an effect that belongs to a call of
// the agent, only its processes are recorded.
func (t *turn) done(e effect, end bellcord.ToolCallEnded) {
	if e.own == "" {
		if end.Processes != nil {
			t.w.Processes(*end.Processes)
		}
		return
	}
	end.Call = e.own
	if end.Processes != nil {
		t.w.Report().Mark(hub.MomentProcessEnded)
	}
	t.emit(end)
}

// approve lets the user approve or reject an effect.
func (t *turn) approve(ctx context.Context, call, question string) error {
	choice, err := t.w.Ask(ctx, bellcord.Question{
		Call: call, Text: question,
		Choices: []bellcord.Choice{
			{ID: "allow", Text: "Allow once", Kind: string(acp.AllowOnce)},
			{ID: "reject", Text: "Reject", Kind: string(acp.RejectOnce)},
		},
	})
	if err == nil && choice != "allow" {
		err = errRefused
	}
	return err
}
