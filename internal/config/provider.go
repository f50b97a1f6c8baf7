package config

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Provider is where models are, and how they are spoken to.
type Provider struct {
	API       string `toml:"api"`        // chat, responses, anthropic, gemini or fake
	BaseURL   string `toml:"base_url"`   // OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL
	Key       string `toml:"api_key"`    // OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY; better there than here
	Thinking  *int64 `toml:"thinking"`   // tokens to think with, for anthropic and gemini: 0 is no thinking, -1 lets the model decide
	Effort    string `toml:"effort"`     // to reason with, for responses
	MaxOutput *int64 `toml:"max_output"` // tokens of one answer, for anthropic
}

// The APIs that models are spoken to by.
const (
	Chat      = "chat"      // OpenAI's chat completions, as most model servers speak it
	Responses = "responses" // OpenAI's own newer one
	Anthropic = "anthropic"
	Gemini    = "gemini"
	Fake      = "fake" // none: the model that is built in
)

// APIs are all of them.
var APIs = []string{Chat, Responses, Anthropic, Gemini, Fake}

// Facts are what cannot be asked of a model: the tokens that fit, and its prices
// in dollars for a million tokens. A price of 0 is one: the model is free.
type Facts struct {
	Window     *int64   `toml:"window"`
	Input      *float64 `toml:"input"`
	Output     *float64 `toml:"output"`
	CacheRead  *float64 `toml:"cache_read"`  // without it, the price of input
	CacheWrite *float64 `toml:"cache_write"` // without it, the price of input
}

// addProviders puts those that everybody has beside the file's, and the
// environment's keys and addresses over both.
func (c *Config) addProviders() {
	if c.Provider == nil {
		c.Provider = map[string]Provider{}
	}
	for _, known := range []struct{ name, api, key, url string }{
		{"openai", "", "OPENAI_API_KEY", "OPENAI_BASE_URL"},
		{"anthropic", Anthropic, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"},
		{"gemini", Gemini, "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"},
	} {
		p := c.Provider[known.name]
		if v := os.Getenv(known.key); v != "" {
			p.Key = v
		}
		if v := os.Getenv(known.url); v != "" {
			p.BaseURL = v
		}
		if p.API == "" {
			p.API = known.api
		}
		c.Provider[known.name] = p
	}
	if _, named := c.Provider[Fake]; !named {
		c.Provider[Fake] = Provider{API: Fake}
	}
	for name, p := range c.Provider {
		switch {
		case p.API != "":
		case name == "openai" && p.BaseURL == "":
			p.API = Responses
		default: // another server at an address is one that speaks what most do
			p.API = Chat
		}
		c.Provider[name] = p
	}
}

func (c Config) checkProviders() error {
	for name, p := range c.Provider {
		if !slices.Contains(APIs, p.API) {
			return fmt.Errorf("provider.%s: api %q is none of %v", name, p.API, APIs)
		}
		if strings.Contains(name, "/") {
			return fmt.Errorf("provider.%s: a name has no slash", name)
		}
		if p.MaxOutput != nil && *p.MaxOutput < 1 {
			return fmt.Errorf("provider.%s: max_output is %d: use 1 or more, or leave it out", name, *p.MaxOutput)
		}
	}
	return nil
}

func (c Config) checkFacts() error {
	for model, f := range c.Facts {
		if f.Window != nil && *f.Window < 1 {
			return fmt.Errorf("facts.%s: window is %d: use 1 or more, or leave it out", model, *f.Window)
		}
		for name, price := range map[string]*float64{"input": f.Input, "output": f.Output, "cache_read": f.CacheRead, "cache_write": f.CacheWrite} {
			if price != nil && *price < 0 {
				return fmt.Errorf("facts.%s: %s is negative; use 0 or more", model, name)
			}
		}
	}
	return nil
}
