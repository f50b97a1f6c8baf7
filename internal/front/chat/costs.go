package chat

import (
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
)

// costs describes what a session has used, by model.
func costs(spent []bellcord.ModelUsage) string {
	if len(spent) == 0 {
		return "No usage yet."
	}
	var lines []string
	total := bellcord.Usage{Exact: true}
	for _, s := range spent {
		lines = append(lines, s.Model+": "+used(s.Usage))
		total = total.Add(s.Usage)
	}
	if len(spent) > 1 {
		lines = append(lines, "total: "+used(total))
	}
	return strings.Join(lines, "\n")
}

func used(u bellcord.Usage) string {
	text := fmt.Sprintf("%s in (%s cached), %s out", tokens(u.InputTokens), tokens(u.CacheReadTokens), tokens(u.OutputTokens))
	if u.CostNanoUSD > 0 {
		text += ", " + money(u.CostNanoUSD)
	}
	if !u.Exact {
		text += ", estimated"
	}
	return text
}
