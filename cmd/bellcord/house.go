package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/openai"
	"github.com/bellcord/bellcord/internal/proc"
	"github.com/bellcord/bellcord/internal/store/sqlite"
	"github.com/bellcord/bellcord/internal/tool"
)

// house is an open store with a hub on it, and all that its agent works with.
type house struct {
	*bellcord.Hub
	store    *sqlite.Store
	provider *openai.Provider
	keeper   *proc.Keeper
	yard     *tool.Yard
	extras   *extras
}

func openHouse(ctx context.Context, c config.Config) (*house, error) {
	store, err := sqlite.Open(ctx, c.Data)
	if err != nil {
		return nil, err
	}
	h := &house{
		store:    store,
		provider: openai.New(openai.Config{BaseURL: c.OpenAI.BaseURL, Key: c.OpenAI.Key}),
		yard:     &tool.Yard{Dir: filepath.Join(c.Data, "background")},
	}
	if err := h.furnish(ctx, c); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return h, nil
}

// furnish ends what a crash left running, then opens the hub: a turn is told to
// be lost only once its processes are gone.
func (h *house) furnish(ctx context.Context, c config.Config) error {
	policy, err := openPolicy(c)
	if err != nil {
		return err
	}
	if h.keeper, err = proc.Open(filepath.Join(c.Data, "processes"), proc.Options{Logger: logger()}); err != nil {
		return err
	}
	own := tool.Builtin(h.keeper, h.yard)
	h.extras = newExtras(c, h.keeper, own)
	agent := &react.Agent{Model: h.model, Tools: own, More: h.extras.tools, Background: h.yard.List, Policy: policy}
	h.Hub, err = bellcord.Open(ctx, h.store, agent, bellcord.Options{Logger: logger()})
	if err != nil {
		return errors.Join(err, h.keeper.Close())
	}
	return nil
}

// model finds the provider of "provider/model".
func (h *house) model(name string) (react.Model, error) {
	provider, model, ok := strings.Cut(name, "/")
	switch {
	case name == "":
		return react.Model{}, errors.New("no model: say --model provider/model, or set BELLCORD_MODEL")
	case !ok || model == "":
		return react.Model{}, errors.New("model " + name + ": it is written provider/model")
	case provider != "openai":
		return react.Model{}, errors.New("model " + name + ": there is no provider " + provider + " (there is openai, for every OpenAI-compatible server)")
	}
	return react.Model{Model: llm.Patient{Model: h.provider}, Name: model}, nil
}

// closeBound is how long an orderly end may take: a stop's hard bound, and time
// to write the ends.
const closeBound = 15 * time.Second

func (h *house) close() error {
	ctx, done := context.WithTimeout(context.Background(), closeBound)
	defer done()
	err := h.Close(ctx)
	h.extras.close()
	h.yard.EndAll()
	h.provider.Close()
	return errors.Join(err, h.keeper.Close(), h.store.Close())
}
