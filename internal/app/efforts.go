package app

import (
	"strings"

	"github.com/bellcord/bellcord/internal/config"
)

// Efforts returns the reasoning efforts to choose from for a model: those that
// every reasoning model of its API accepts. It returns nil for an API without
// them. Chat Completions has them too, but many servers reject the field.
// Gemini's thinking level excludes a thinking budget.
func (m *Models) Efforts(model string) []string {
	provider, _, _ := strings.Cut(model, "/")
	switch m.settings.Provider[provider].API {
	case config.Responses, config.Anthropic:
		return []string{"low", "medium", "high"}
	}
	return nil
}
