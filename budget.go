package bellcord

import (
	"context"
	"fmt"
)

// hold holds the turn's usage, with what the running request has cost so far,
// against its budgets, at every event that costs something. A budget is a stop
// like any other; a limit of one turn says nothing about those behind it.
func (w *Work) hold(b Body) {
	switch b.(type) {
	case StepStarted, Metered, Said, Thought, Called, StepEnded, AsideStarted, AsideEnded:
	default:
		return
	}
	t := w.turn
	t.mu.Lock()
	used, open := t.tally.meter.total(), len(t.tally.open)
	t.mu.Unlock()
	if _, ended := b.(StepEnded); ended && open == 0 {
		return // the answer is complete: there is nothing to cut off
	}
	if why := t.Prompt.exceeded(used, t.before); why != "" && t.ctx.Err() == nil {
		w.hub.stopForBudget(t, why)
	}
}

func (h *Hub) stopForBudget(t *Turn, why string) {
	h.Stop(StopTurn(t.ID, Cause{Kind: Budget, By: "budget", From: "hub", Why: why}).thenNext())
}

// exceeded says which budget is used up, "" if none is. before is what the
// session had used when the turn began.
func (p Prompt) exceeded(used, before Usage) string {
	all := used.Add(before)
	reached := func(limit, used int64) bool { return limit > 0 && used >= limit }
	switch {
	case reached(p.Tokens, used.Total()):
		return fmt.Sprintf("the turn's %d tokens are used up", p.Tokens)
	case reached(p.Cost, used.Cost):
		return fmt.Sprintf("the turn's %s are used up", Dollars(p.Cost))
	case reached(p.Session.Tokens, all.Total()):
		return fmt.Sprintf("the session's %d tokens are used up", p.Session.Tokens)
	case reached(p.Session.Cost, all.Cost):
		return fmt.Sprintf("the session's %s are used up", Dollars(p.Session.Cost))
	}
	return ""
}

// Dollars writes billionths of a dollar as people do: to the cent, or as small
// as it takes to say more than nothing.
func Dollars(billionths int64) string {
	const dollar = 1e9
	switch v := float64(billionths) / dollar; {
	case billionths == 0:
		return "$0"
	case v < 0.01:
		return fmt.Sprintf("$%.6f", v)
	case v < 1:
		return fmt.Sprintf("$%.4f", v)
	default:
		return fmt.Sprintf("$%.2f", v)
	}
}

// spentBefore finds out what the session has used, where that counts.
func (h *Hub) spentBefore(ctx context.Context, t *Turn) (Usage, error) {
	var sum Usage
	if t.Prompt.Session == (Allowance{}) {
		return sum, nil
	}
	all, err := h.log.store.Spending(ctx, SpendingQuery{Session: t.Session})
	for _, s := range all {
		sum = sum.Add(s.Usage)
	}
	return sum, err
}
