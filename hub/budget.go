package hub

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
)

// hold holds the turn's usage, with what the running request has cost so far,
// against its budgets, at every event that costs something. A budget is a stop
// like any other; a limit of one turn says nothing about those behind it.
func (w *Work) hold(b bellcord.Body) {
	switch b.(type) {
	case bellcord.StepStarted, bellcord.UsageReported, bellcord.TextDelta, bellcord.ThinkingDelta, bellcord.ToolCallRequested, bellcord.StepEnded, bellcord.SideRequestStarted, bellcord.SideRequestEnded:
	default:
		return
	}
	t := w.turn
	t.mu.Lock()
	used, open := t.tally.Usage(), t.tally.OpenCalls()
	t.mu.Unlock()
	if _, ended := b.(bellcord.StepEnded); ended && open == 0 {
		return // the answer is complete: there is nothing to cut off
	}
	if why := lifecycle.Exceeded(t.Prompt, used, t.before); why != "" && t.ctx.Err() == nil {
		w.hub.stopForBudget(t, why)
	}
}

func (h *Hub) stopForBudget(t *Turn, why string) {
	h.Stop(thenNext(bellcord.StopTurn(t.ID, bellcord.Cause{Kind: bellcord.CauseBudget, By: "budget", Source: "hub", Reason: why})))
}

// spentBefore finds out what the session has used, where that counts.
func (h *Hub) spentBefore(ctx context.Context, t *Turn) (bellcord.Usage, error) {
	var sum bellcord.Usage
	if t.Prompt.SessionLimit == (bellcord.SpendingLimit{}) {
		return sum, nil
	}
	all, err := h.store.Spending(ctx, bellcord.SpendingQuery{Session: t.Session})
	for _, s := range all {
		sum = sum.Add(s.Usage)
	}
	return sum, err
}
