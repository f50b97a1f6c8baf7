package setup

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
)

// Choice is what a configuration file is written for.
type Choice struct {
	Model, Reason string
	Agent         string      // the agent to host, "" for Bellcord's own
	server        ModelServer // the model's server, if it is on this machine
	key           KeyEntered  // the provider's key, if the user entered it
}

// fakeModel is the built-in model.
const fakeModel = "fake/fake"

// Choices returns the models to choose from, the best first: one of each
// provider with a key, those of the servers on this machine, and at the end the
// built-in fake model.
func Choices(ctx context.Context, found Survey) []Choice {
	names, errs := make([]string, len(found.Keys)), make([]error, len(found.Keys))
	var every sync.WaitGroup
	for i, k := range found.Keys {
		every.Go(func() { names[i], errs[i] = offered(ctx, k.Provider) })
	}
	every.Wait()
	var all []Choice
	builtIn := Choice{Model: fakeModel, Reason: "built in, because no key and no model server was found"}
	for i, k := range found.Keys {
		if errs[i] != nil || names[i] == "" {
			builtIn.Reason = "built in, because no model could be listed with " + k.Variable + "; see bellcord doctor"
			continue
		}
		all = append(all, Choice{Model: k.Provider + "/" + names[i], Reason: k.Variable + " is set, and the provider offers this model"})
	}
	for _, s := range found.Servers {
		for _, name := range s.Models {
			all = append(all, Choice{Model: s.Name + "/" + name, Reason: s.URL + " offers this model", server: s})
		}
	}
	if len(all) > 0 {
		builtIn.Reason = "built in; not an AI, it repeats the prompt"
	}
	return append(all, builtIn)
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
var generalModel = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(claude-sonnet-[0-9-]+|gpt-[0-9.]+|gemini-[0-9.]+-(flash|pro))$`)
})

// defaultModel returns the newest general-purpose model, otherwise the first
// name in alphabetical order.
func defaultModel(names []string) string {
	best := ""
	for _, name := range names {
		if generalModel().MatchString(name) && strings.Compare(name, best) > 0 {
			best = name
		}
	}
	if best == "" && len(names) > 0 {
		best = slices.Sorted(slices.Values(names))[0]
	}
	return best
}
