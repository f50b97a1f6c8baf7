package app

import (
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/config"
)

// DefaultModel returns the model of new sessions, or "" if a hosted agent
// chooses its model itself.
func DefaultModel(c config.Config) string {
	if c.Agent != "" {
		return ""
	}
	return c.Model
}

// PromptLimits returns a prompt with only the configured limits set.
func PromptLimits(c config.Config) bellcord.Prompt {
	billionths := func(dollars float64) int64 { return int64(dollars * 1e9) }
	return bellcord.Prompt{
		MaxSteps: c.Limits.MaxSteps, MaxTokens: c.Limits.MaxTokens, MaxCostNanoUSD: billionths(c.Limits.MaxCostUSD), Deadline: time.Duration(c.Limits.Deadline),
		SessionBudget: bellcord.SpendingLimit{MaxTokens: c.Limits.SessionMaxTokens, MaxCostNanoUSD: billionths(c.Limits.SessionMaxCostUSD)},
	}
}

// HasModel reports whether the settings name a model or a hosted agent.
func HasModel(c config.Config) bool { return c.Model != "" || c.Agent != "" || len(c.Models) > 0 }
