package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/cluster"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/proc"
	"github.com/bellcord/bellcord/internal/tool"
)

// house is an open store with a hub on it, and all that its agent works with.
type house struct {
	*bellcord.Hub
	logger *slog.Logger
	store  store
	bus    *cluster.Bus  // nil where there is only the store
	node   *cluster.Node // the hub as one of several
	models *models
	keeper *proc.Keeper
	yard   *tool.Yard
	extras *extras
	agents *agents
}

func openHouse(ctx context.Context, c config.Config) (*house, error) {
	return openHouseWith(ctx, c, bellcord.Options{Logger: logger()})
}

func openHouseWith(ctx context.Context, c config.Config, opts bellcord.Options) (*house, error) {
	store, err := openStore(ctx, c, opts.Logger)
	if err != nil {
		return nil, err
	}
	h := &house{
		logger: opts.Logger,
		store:  store,
		models: newModels(c),
		yard:   &tool.Yard{Dir: filepath.Join(c.Data, "background")},
	}
	if err := h.furnish(ctx, c, opts); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return h, nil
}

// furnish ends what a crash left running, then opens the hub: a turn is told to
// be lost only once its processes are gone.
func (h *house) furnish(ctx context.Context, c config.Config, opts bellcord.Options) error {
	policy, err := openPolicy(c)
	if err != nil {
		return err
	}
	system, err := systemPrompt(c.SystemPrompt)
	if err != nil {
		return err
	}
	if h.keeper, err = proc.Open(filepath.Join(c.Data, "processes"), proc.Options{Logger: h.logger}); err != nil {
		return err
	}
	own := tool.Builtin(h.keeper, h.yard)
	h.extras = newExtras(c, h.keeper, own, h.logger)
	native := &react.Agent{
		Model: h.models.find, Tools: own, More: h.extras.tools, Background: h.yard.List, Policy: policy,
		System: system, Instructions: []string{config.Instructions()}, CompactAt: c.CompactAt, Titles: c.Titles,
	}
	h.agents = &agents{native: native, config: c, keeper: h.keeper, policy: policy, logger: h.logger}
	if c.Agent != "" {
		if _, err := definition(c, c.Agent); err != nil {
			return errors.Join(err, h.keeper.Close())
		}
	}
	if err := h.openHub(ctx, c, opts); err != nil {
		return errors.Join(err, h.keeper.Close())
	}
	return nil
}

// systemPrompt is the template in the file, "" where none is named.
func systemPrompt(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("system_prompt: %w", err)
	}
	return string(text), nil
}

// letGo ends what a session has besides its turns: what was allowed for it, too.
func (h *house) letGo(id bellcord.SessionID) {
	h.agents.policy.Forget(string(id))
	h.extras.closed(id)
	h.yard.End(id)
	h.agents.end(id)
}

// closeBound is how long an orderly end may take: a stop's hard bound, and time
// to write the ends.
const closeBound = 15 * time.Second

func (h *house) close() error {
	ctx, done := context.WithTimeout(context.Background(), closeBound)
	defer done()
	err := h.Close(ctx)
	h.agents.close()
	h.extras.close()
	h.yard.EndAll()
	h.models.close()
	if h.bus != nil {
		h.bus.Close()
	}
	return errors.Join(err, h.keeper.Close(), h.store.Close())
}
