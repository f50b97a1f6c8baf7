package setup

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
)

// choice is the model for the first configuration.
type choice struct {
	model, reason string
	server        ModelServer // the model's server, if it is on this machine
	key           KeyEntered  // the provider's key, if the user entered it
}

// choose returns the first model that is available: of a provider with a key,
// of a server on this machine, otherwise the built-in fake model.
func choose(ctx context.Context, found Survey) choice {
	chosen := choice{model: "fake/fake", reason: "built in, because no key and no model server was found"}
	for _, k := range found.Keys {
		name, err := offered(ctx, k.Provider)
		if err == nil && name != "" {
			return choice{model: k.Provider + "/" + name, reason: k.Variable + " is set, and the provider offers this model"}
		}
		chosen.reason = "built in, because no model could be listed with " + k.Variable + "; see bellcord doctor"
	}
	for _, s := range found.Servers {
		return choice{model: s.Name + "/" + s.Models[0], reason: s.URL + " offers this model", server: s}
	}
	return chosen
}

// listTimeout is the maximum time that a provider may take to list its models.
const listTimeout = 5 * time.Second

// offered returns the default model of a provider that is configured by the
// environment.
func offered(ctx context.Context, provider string) (string, error) {
	c, err := config.FromEnvironment()
	if err != nil {
		return "", err
	}
	return offeredBy(ctx, c, provider)
}

// offeredBy returns the default model of a configured provider.
func offeredBy(ctx context.Context, c config.Config, provider string) (string, error) {
	models := app.NewModels(c)
	defer models.Close()
	ctx, done := context.WithTimeout(ctx, listTimeout)
	defer done()
	names, err := models.Provider(provider).Models(ctx)
	return defaultModel(names), err
}

// generalModel matches the names of general-purpose models. Models for speech,
// images and search have longer names.
var generalModel = regexp.MustCompile(`^(claude-sonnet-[0-9-]+|gpt-[0-9.]+|gemini-[0-9.]+-(flash|pro))$`)

// defaultModel returns the newest general-purpose model, otherwise the first
// name in alphabetical order.
func defaultModel(names []string) string {
	best := ""
	for _, name := range names {
		if generalModel.MatchString(name) && strings.Compare(name, best) > 0 {
			best = name
		}
	}
	if best == "" && len(names) > 0 {
		best = slices.Sorted(slices.Values(names))[0]
	}
	return best
}
