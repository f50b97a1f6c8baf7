package lifecycle

import (
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plural"
)

// Exceeded returns a description of the first limit of the prompt that is
// reached, or "". used is the turn's usage; before is the session's usage when
// the turn began.
func Exceeded(p bellcord.Prompt, used, before bellcord.Usage) string {
	all := used.Add(before)
	reached := func(limit, used int64) bool { return limit > 0 && used >= limit }
	switch {
	case reached(p.MaxTokens, used.Total()):
		return fmt.Sprintf("the turn's budget of %d tokens is used up", p.MaxTokens)
	case reached(p.MaxCostNanoUSD, used.CostNanoUSD):
		return fmt.Sprintf("the turn's budget of %s is used up", plural.Dollars(p.MaxCostNanoUSD))
	case reached(p.SessionBudget.MaxTokens, all.Total()):
		return fmt.Sprintf("the session's budget of %d tokens is used up", p.SessionBudget.MaxTokens)
	case reached(p.SessionBudget.MaxCostNanoUSD, all.CostNanoUSD):
		return fmt.Sprintf("the session's budget of %s is used up", plural.Dollars(p.SessionBudget.MaxCostNanoUSD))
	}
	return ""
}
