package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/anthropic"
	"github.com/bellcord/bellcord/internal/llm/gemini"
	"github.com/bellcord/bellcord/internal/llm/openai"
	"github.com/bellcord/bellcord/internal/llm/responses"
)

// models are those that the configuration can reach. A provider is made when
// one of its models is first asked for.
type models struct {
	config config.Config
	mu     sync.Mutex
	made   map[string]llm.Provider
}

func newModels(c config.Config) *models {
	return &models{config: c, made: map[string]llm.Provider{}}
}

// find returns the model of "provider/model".
func (m *models) find(name string) (react.Model, error) {
	provider, model, err := m.split(name)
	if err != nil {
		return react.Model{}, err
	}
	found := react.Model{Model: m.provider(provider), Name: model, Price: m.price(name), Window: m.window(name)}
	if limits := m.config.Limits; (limits.Cost > 0 || limits.SessionCost > 0) && found.Price == nil {
		return react.Model{}, fmt.Errorf("model %s: there is a limit on cost, and no price is known: set [facts.%q]", name, name)
	}
	if drain := time.Duration(m.config.UsageOnStop); drain > 0 {
		found.Model = llm.Draining{Model: found.Model, For: drain}
	}
	found.Model = llm.Patient{Model: found.Model}
	return found, nil
}

// check says what is wrong with a model's name.
func (m *models) check(name string) error {
	_, _, err := m.split(name)
	return err
}

func (m *models) split(name string) (provider, model string, err error) {
	provider, model, ok := strings.Cut(name, "/")
	_, known := m.config.Provider[provider]
	switch {
	case name == "":
		return "", "", errors.New("no model: say --model provider/model, or set BELLCORD_MODEL, or let bellcord init write a configuration")
	case !ok || model == "":
		return "", "", fmt.Errorf("model %s: it is written provider/model", name)
	case !known:
		return "", "", fmt.Errorf("model %s: there is no provider %s (there is %s)", name, provider, strings.Join(m.names(), ", "))
	}
	return provider, model, nil
}

func (m *models) names() []string { return slices.Sorted(maps.Keys(m.config.Provider)) }

func (m *models) provider(name string) llm.Provider {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made[name] == nil {
		m.made[name] = newProvider(m.config.Provider[name])
	}
	return m.made[name]
}

func newProvider(p config.Provider) llm.Provider {
	switch p.API {
	case config.Fake:
		return newFake()
	case config.Responses:
		return responses.New(responses.Config{BaseURL: p.BaseURL, Key: p.Key, Effort: p.Effort})
	case config.Anthropic:
		return anthropic.New(anthropic.Config{BaseURL: p.BaseURL, Key: p.Key, Thinking: p.Thinking, MaxTokens: p.MaxOutput})
	case config.Gemini:
		return gemini.New(gemini.Config{BaseURL: p.BaseURL, Key: p.Key, Thinking: int32(p.Thinking)})
	}
	return openai.New(openai.Config{BaseURL: p.BaseURL, Key: p.Key})
}

// window is what fits, where nobody says otherwise: what the smallest of a
// provider's current models take.
func (m *models) window(name string) int64 {
	if w := m.config.Facts[name].Window; w > 0 {
		return w
	}
	provider, _, _ := strings.Cut(name, "/")
	switch m.config.Provider[provider].API {
	case config.Anthropic:
		return 200_000
	case config.Gemini:
		return 1_000_000
	}
	return 128_000
}

// price is in billionths of a dollar for a token, where the file's are in
// dollars for a million.
func (m *models) price(name string) *bellcord.Price {
	f, known := m.config.Facts[name]
	if !known || f.Input == 0 && f.Output == 0 {
		return nil
	}
	per := func(dollars float64) int64 { return int64(dollars*1000 + 0.5) }
	p := &bellcord.Price{Input: per(f.Input), Output: per(f.Output), CacheRead: per(f.CacheRead), CacheWrite: per(f.CacheWrite)}
	if f.CacheRead == 0 {
		p.CacheRead = p.Input
	}
	if f.CacheWrite == 0 {
		p.CacheWrite = p.Input
	}
	return p
}

func (m *models) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.made {
		p.Close()
	}
}

func modelsCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "models [PROVIDER]",
		Short: "List the models that the configured providers offer",
		Long: `Asks every provider that has a key or an address, or the one named, for its
models, and says what its API bills when a stop closes an answer's connection.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.load()
			if err != nil {
				return err
			}
			return newModels(c).list(cmd.Context(), args)
		},
	}
	s.dataFlags(cmd)
	return cmd
}

// listBound is how long one provider may take to list its models.
const listBound = 15 * time.Second

func (m *models) list(ctx context.Context, only []string) error {
	defer m.close()
	var failed error
	for _, name := range m.names() {
		p := m.config.Provider[name]
		switch {
		case len(only) > 0 && only[0] != name:
			continue
		case len(only) == 0 && p.Key == "" && p.BaseURL == "" && p.API != config.Fake:
			fmt.Printf("# %s (%s): no key\n", name, p.API)
			continue
		}
		provider := m.provider(name)
		if p.API == config.Fake {
			fmt.Printf("# %s: built in, needs no key; it is no language model and repeats what it is told\n", name)
		} else {
			fmt.Printf("# %s (%s); after a stop, billing: %s\n", name, p.API, provider.AfterClose())
		}
		asking, done := context.WithTimeout(ctx, listBound)
		offered, err := provider.Models(asking)
		done()
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
		}
		for _, model := range offered {
			fmt.Printf("%s/%s\n", name, oneLine(model))
		}
	}
	if len(only) > 0 && !slices.Contains(m.names(), only[0]) {
		return fmt.Errorf("there is no provider %s (there is %s)", only[0], strings.Join(m.names(), ", "))
	}
	return failed
}
