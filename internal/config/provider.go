package config

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Provider configures a model API. The providers openai, anthropic, gemini and fake
// are built in. The name must not contain a slash.
type Provider struct {
	API             string `toml:"api"`               // API of the provider: chat (OpenAI Chat Completions), responses (OpenAI Responses), anthropic, gemini or fake (unset: anthropic, gemini or fake for the provider with this name, responses for openai without a base_url, otherwise chat)
	BaseURL         string `toml:"base_url"`          // address of the API (unset: the public address of OpenAI, Anthropic or Google, depending on api; env OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL)
	APIKey          string `toml:"api_key"`           // API key; set it in the environment rather than in the file (unset: requests have no key; env OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY)
	ThinkingTokens  *int64 `toml:"thinking_tokens"`   // maximum number of tokens for thinking, anthropic and gemini only: 0 requests no thinking, -1 lets the model decide (unset: 0 for anthropic, the model decides for gemini)
	ReasoningEffort string `toml:"reasoning_effort"`  // reasoning effort, such as "low", "medium" or "high"; OpenAI Responses API only (unset: the model decides)
	MaxOutputTokens *int64 `toml:"max_output_tokens"` // maximum number of tokens of one answer, thinking included, 1 or more; anthropic only (unset: [anthropic.DefaultMaxTokens], or thinking_tokens + [anthropic.MinAnswerTokens] if that is more)
}

// The APIs of providers.
const (
	Chat      = "chat"      // OpenAI Chat Completions, which most model servers implement
	Responses = "responses" // OpenAI Responses
	Anthropic = "anthropic"
	Gemini    = "gemini"
	Fake      = "fake" // the built-in model
)

// APIs contains all APIs.
var APIs = []string{Chat, Responses, Anthropic, Gemini, Fake}

// ModelInfo describes what the API of a model does not report: its context window, what
// it accepts, and its prices in US dollars per million tokens. NAME is provider/model, in quotes. A
// price of 0 means that the model is free. Without input and output, costs are
// unknown.
type ModelInfo struct {
	ContextWindow           *int64   `toml:"context_window"`              // size of the context window in tokens, 1 or more (unset: [config.AnthropicContextWindow] for anthropic, [config.GeminiContextWindow] for gemini, [config.OtherContextWindow] for others)
	InputUSDPerMillion      *float64 `toml:"input_usd_per_million"`       // price of input tokens (unset: unknown, or 0 if output_usd_per_million is set)
	OutputUSDPerMillion     *float64 `toml:"output_usd_per_million"`      // price of output tokens (unset: unknown, or 0 if input_usd_per_million is set)
	CacheReadUSDPerMillion  *float64 `toml:"cache_read_usd_per_million"`  // price of input tokens that are read from the provider's cache (unset: input_usd_per_million)
	CacheWriteUSDPerMillion *float64 `toml:"cache_write_usd_per_million"` // price of input tokens that are written to the provider's cache (unset: input_usd_per_million)
	Images                  *bool    `toml:"images"`                      // whether the model accepts images (unset: true, but tools return images only to models of anthropic, gemini, responses and fake)
	PDFs                    *bool    `toml:"pdfs"`                        // whether the model accepts PDF documents from tools (unset: true for anthropic, gemini and responses, otherwise false)
}

// The context windows of models without a context_window, by API: those of the smallest
// current models.
const (
	AnthropicContextWindow = 200_000
	GeminiContextWindow    = 1_000_000
	OtherContextWindow     = 128_000
)

// addProviders adds the built-in providers to those of the file, and applies
// the keys and addresses in the environment.
func (c *Config) addProviders() {
	if c.Provider == nil {
		c.Provider = map[string]Provider{}
	}
	for _, entry := range []struct{ name, api, key, url string }{
		{"openai", "", "OPENAI_API_KEY", "OPENAI_BASE_URL"},
		{"anthropic", Anthropic, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"},
		{"gemini", Gemini, "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"},
	} {
		p := c.Provider[entry.name]
		if v := os.Getenv(entry.key); v != "" {
			p.APIKey = v
		}
		if v := os.Getenv(entry.url); v != "" {
			p.BaseURL = v
		}
		if p.API == "" {
			p.API = entry.api
		}
		c.Provider[entry.name] = p
	}
	if _, named := c.Provider[Fake]; !named {
		c.Provider[Fake] = Provider{API: Fake}
	}
	for name, p := range c.Provider {
		switch {
		case p.API != "":
		case name == "openai" && p.BaseURL == "":
			p.API = Responses
		default: // the API of most other model servers
			p.API = Chat
		}
		c.Provider[name] = p
	}
}

func (c Config) checkProviders() error {
	for name, p := range c.Provider {
		if !slices.Contains(APIs, p.API) {
			return fmt.Errorf("provider.%s: unknown api %q: use %s", name, p.API, strings.Join(APIs, ", "))
		}
		if strings.Contains(name, "/") {
			return fmt.Errorf("provider.%s: the name of a provider must not contain a slash", name)
		}
		if p.MaxOutputTokens != nil && *p.MaxOutputTokens < 1 {
			return fmt.Errorf("provider.%s: max_output_tokens is %d: use 1 or more, or leave it out", name, *p.MaxOutputTokens)
		}
	}
	return nil
}

func (c Config) checkFacts() error {
	for model, f := range c.ModelInfo {
		if f.ContextWindow != nil && *f.ContextWindow < 1 {
			return fmt.Errorf("model_info.%s: context_window is %d: use 1 or more, or leave it out", model, *f.ContextWindow)
		}
		for name, price := range map[string]*float64{"input_usd_per_million": f.InputUSDPerMillion, "output_usd_per_million": f.OutputUSDPerMillion, "cache_read_usd_per_million": f.CacheReadUSDPerMillion, "cache_write_usd_per_million": f.CacheWriteUSDPerMillion} {
			if price != nil && *price < 0 {
				return fmt.Errorf("model_info.%s: %s is negative: use 0 or more", model, name)
			}
		}
	}
	return nil
}
