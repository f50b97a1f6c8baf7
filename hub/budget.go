package hub

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// hold compares the turn's usage, including the current request, with its budgets
// after every event that adds usage, and stops the turn if a budget is exceeded.
// Queued turns are not affected.
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
		return // the answer is complete and leaves no call to cancel
	}
	if why := lifecycle.Exceeded(t.Prompt, used, t.before); why != "" && t.ctx.Err() == nil {
		w.hub.stopForBudget(t, why)
	}
}

func (h *Hub) stopForBudget(t *Turn, why string) {
	h.Stop(thenNext(bellcord.StopTurn(t.ID, bellcord.Cause{Kind: bellcord.CauseBudget, By: "budget", Source: "hub", Reason: why})))
}

// spentBefore returns the session's usage by earlier turns, or zero if the prompt
// has no session limit.
func (h *Hub) spentBefore(ctx context.Context, t *Turn) (bellcord.Usage, error) {
	var sum bellcord.Usage
	if t.Prompt.SessionBudget == (bellcord.SpendingLimit{}) {
		return sum, nil
	}
	all, err := h.store.Spending(ctx, store.SpendingQuery{Session: t.Session})
	for _, s := range all {
		sum = sum.Add(s.Usage)
	}
	return sum, err
}
