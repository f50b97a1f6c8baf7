package app

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/anthropic"
	"github.com/bellcord/bellcord/internal/llm/gemini"
	"github.com/bellcord/bellcord/internal/llm/openai"
	"github.com/bellcord/bellcord/internal/llm/responses"
	"github.com/bellcord/bellcord/internal/nearest"
)

// Models finds the models of the configured providers. A provider is created when
// one of its models is first used.
type Models struct {
	settings config.Config
	mu       sync.Mutex
	made     map[string]llm.Provider
}

// NewModels returns the models of the configured providers.
func NewModels(c config.Config) *Models {
	return &Models{settings: c, made: map[string]llm.Provider{}}
}

// Find returns the model with the name "provider/model". If a cost limit is
// set, a model without a price is an error.
func (m *Models) Find(name string) (react.Model, error) {
	provider, model, err := m.answerable(name)
	if err != nil {
		return react.Model{}, err
	}
	found := react.Model{Model: m.Provider(provider), Name: model, Price: m.Price(name), Window: m.ContextWindow(name), Media: m.media(name), TextOnly: !m.TakesImages(name)}
	if limits := m.settings.Limits; (limits.MaxCostUSD > 0 || limits.SessionMaxCostUSD > 0) && found.Price == nil {
		return react.Model{}, fmt.Errorf("model %s: a cost limit is set, but the price of the model is unknown: add it in [model_info.%q]", name, name)
	}
	found.Model = llm.Patient{Model: found.Model}
	return found, nil
}

// media returns what a model accepts in the results of tools. Servers with the
// Chat Completions API often have models without images: a single image in a
// result would make them reject the whole conversation.
func (m *Models) media(name string) llm.Media {
	provider, _, _ := strings.Cut(name, "/")
	api := m.settings.Provider[provider].API
	media := llm.Media{Images: api != config.Chat, PDFs: api != config.Chat && api != config.Fake}
	info := m.settings.ModelInfo[name]
	if info.Images != nil {
		media.Images = *info.Images
	}
	if info.PDFs != nil {
		media.PDFs = *info.PDFs && api != config.Chat // this API has no PDFs in most servers
	}
	return media
}

// Check returns the reason why a model cannot answer, as far as it can be
// determined without a request to the provider.
func (m *Models) Check(name string) error {
	_, _, err := m.answerable(name)
	return err
}

// answerable splits the name of a model. It returns an error for a model that
// cannot answer: the public APIs reject every request without a key.
func (m *Models) answerable(name string) (provider, model string, err error) {
	if provider, model, err = m.Split(name); err != nil {
		return "", "", err
	}
	p := m.settings.Provider[provider]
	switch {
	case p.API == config.Fake && !slices.Contains(fakeNames, model):
		return "", "", fmt.Errorf("model %s: the built-in provider has only %s", name, strings.Join(fakeNames, " and "))
	case p.API != config.Fake && p.APIKey == "" && p.BaseURL == "":
		return "", "", fmt.Errorf("model %s: %s", name, missingKey(provider))
	}
	return provider, model, nil
}

// missingKey returns an error text with the setting that must contain a
// provider's key.
func missingKey(provider string) string {
	for _, k := range KeyVariables {
		if k.Provider == provider {
			return k.Variable + " is not set"
		}
	}
	return fmt.Sprintf("api_key in [provider.%s] is not set", provider)
}

// Split splits the name of a model into provider and model, and checks that the
// provider is configured.
func (m *Models) Split(name string) (provider, model string, err error) {
	provider, model, ok := strings.Cut(name, "/")
	_, known := m.settings.Provider[provider]
	switch {
	case name == "":
		return "", "", errors.New("no model: use --model provider/model, set BELLCORD_MODEL, or run bellcord init")
	case !ok || model == "":
		return "", "", fmt.Errorf("model %s: use the form provider/model", name)
	case !known:
		return "", "", fmt.Errorf("model %s: %w", name, UnknownName("provider", provider, m.Providers()))
	}
	return provider, model, nil
}

// ModelNames returns the models that a user can choose, without duplicates.
// The default model is first.
func ModelNames(c config.Config) []string {
	var names []string
	for _, name := range append([]string{DefaultModel(c)}, c.Models...) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// UnknownName returns an error for a name that does not exist, with the most
// similar existing name.
func UnknownName(kind, name string, known []string) error {
	hint := ""
	if near := nearest.Name(name, known); near != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", near)
	}
	return fmt.Errorf("unknown %s %q%s: use one of %s", kind, name, hint, strings.Join(known, ", "))
}

// Providers returns the names of the configured providers, sorted.
func (m *Models) Providers() []string { return slices.Sorted(maps.Keys(m.settings.Provider)) }

// Provider returns a configured provider. Models.Close closes it.
func (m *Models) Provider(name string) llm.Provider {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made[name] == nil {
		m.made[name] = newProvider(m.settings.Provider[name])
	}
	return m.made[name]
}

func newProvider(p config.Provider) llm.Provider {
	switch p.API {
	case config.Fake:
		return newFake()
	case config.Responses:
		return responses.New(responses.Config{BaseURL: p.BaseURL, Key: p.APIKey, Effort: p.ReasoningEffort})
	case config.Anthropic:
		return anthropic.New(anthropic.Config{BaseURL: p.BaseURL, Key: p.APIKey, Thinking: given(p.ThinkingTokens, 0), MaxTokens: given(p.MaxOutputTokens, 0)})
	case config.Gemini:
		c := gemini.Config{BaseURL: p.BaseURL, Key: p.APIKey}
		if p.ThinkingTokens != nil {
			budget := int32(*p.ThinkingTokens)
			c.Thinking = &budget
		}
		return gemini.New(c)
	}
	return openai.New(openai.Config{BaseURL: p.BaseURL, Key: p.APIKey})
}

// TakesImages reports whether a model accepts images in prompts. All models do
// unless the settings contain the opposite.
func (m *Models) TakesImages(name string) bool {
	images := m.settings.ModelInfo[name].Images
	return images == nil || *images
}

// ContextWindow returns the size of a model's context in tokens: the
// configured number, otherwise that of the smallest current model of the
// provider.
func (m *Models) ContextWindow(name string) int64 {
	if w := m.settings.ModelInfo[name].ContextWindow; w != nil {
		return *w
	}
	provider, _, _ := strings.Cut(name, "/")
	switch m.settings.Provider[provider].API {
	case config.Anthropic:
		return config.AnthropicContextWindow
	case config.Gemini:
		return config.GeminiContextWindow
	}
	return config.OtherContextWindow
}

// Price returns the configured price in billionths of a dollar per token, or
// nil if no price is configured. Settings are in dollars per million tokens.
func (m *Models) Price(name string) *bellcord.Price {
	f := m.settings.ModelInfo[name]
	if f.InputUSDPerMillion == nil && f.OutputUSDPerMillion == nil {
		return nil
	}
	per := func(dollars *float64, otherwise int64) int64 {
		if dollars == nil {
			return otherwise
		}
		return int64(*dollars*1000 + 0.5)
	}
	input := per(f.InputUSDPerMillion, 0)
	return &bellcord.Price{Input: input, Output: per(f.OutputUSDPerMillion, 0), CacheRead: per(f.CacheReadUSDPerMillion, input), CacheWrite: per(f.CacheWriteUSDPerMillion, input)}
}

// given returns the value of a setting, or otherwise if it is not set.
func given[T any](setting *T, otherwise T) T {
	if setting == nil {
		return otherwise
	}
	return *setting
}

// Close closes every provider.
func (m *Models) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.made {
		p.Close()
	}
}

// KeyVariable is the environment variable that holds a provider's API key.
type KeyVariable struct{ Provider, Variable string }

// KeyVariables are the variables that package config reads.
var KeyVariables = []KeyVariable{{"anthropic", "ANTHROPIC_API_KEY"}, {"openai", "OPENAI_API_KEY"}, {"gemini", "GEMINI_API_KEY"}}
