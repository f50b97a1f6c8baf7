package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/openai"
	"github.com/bellcord/bellcord/internal/store/sqlite"
	"github.com/bellcord/bellcord/internal/tool"
)

// settings are the flags that commands share.
type settings struct {
	file, data, model, mode string
	deadline                time.Duration
	tokens                  int64
	steps                   int
}

// dataFlags says where the store is.
func (s *settings) dataFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.file, "config", "", "configuration `file` (default: XDG config directory, bellcord/config.toml)")
	cmd.Flags().StringVar(&s.data, "data", "", "`directory` of the store (env BELLCORD_DATA; default: XDG data directory, bellcord)")
}

// agentFlags says how turns run.
func (s *settings) agentFlags(cmd *cobra.Command) {
	s.dataFlags(cmd)
	cmd.Flags().StringVar(&s.model, "model", "", "`provider/model`, such as openai/NAME (env BELLCORD_MODEL)")
	cmd.Flags().StringVar(&s.mode, "mode", "", "`ask` before commands run, or full: ask nothing (env BELLCORD_MODE)")
	cmd.Flags().DurationVar(&s.deadline, "deadline", 0, "longest a turn may take")
	cmd.Flags().Int64Var(&s.tokens, "max-tokens", 0, "token budget of a turn")
	cmd.Flags().IntVar(&s.steps, "max-steps", 0, "most model requests of a turn (default 100)")
}

// load puts flags over environment over file.
func (s *settings) load() (config.Config, error) {
	c, err := config.Load(s.file)
	if err != nil {
		return c, err
	}
	for _, f := range []struct {
		flag string
		to   *string
	}{{s.data, &c.Data}, {s.model, &c.Model}, {s.mode, &c.Mode}} {
		if f.flag != "" {
			*f.to = f.flag
		}
	}
	if s.deadline > 0 {
		c.Limits.Deadline = config.Duration(s.deadline)
	}
	if s.tokens > 0 {
		c.Limits.Tokens = s.tokens
	}
	if s.steps > 0 {
		c.Limits.Steps = s.steps
	}
	return c, c.Check()
}

// limits of a prompt.
func limits(c config.Config) bellcord.Prompt {
	return bellcord.Prompt{Steps: c.Limits.Steps, Tokens: c.Limits.Tokens, Deadline: time.Duration(c.Limits.Deadline)}
}

// logger logs to stderr, where no protocol is spoken.
func logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// house is an open store with a hub on it.
type house struct {
	*bellcord.Hub
	store    *sqlite.Store
	provider *openai.Provider
}

func openHouse(ctx context.Context, c config.Config) (*house, error) {
	store, err := sqlite.Open(ctx, c.Data)
	if err != nil {
		return nil, err
	}
	h := &house{store: store, provider: openai.New(openai.Config{BaseURL: c.OpenAI.BaseURL, Key: c.OpenAI.Key})}
	agent := &react.Agent{Model: h.model, Tools: tool.Builtin()}
	if h.Hub, err = bellcord.Open(ctx, store, agent, bellcord.Options{Logger: logger()}); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return h, nil
}

// model finds the provider of "provider/model".
func (h *house) model(name string) (llm.Model, string, error) {
	provider, model, ok := strings.Cut(name, "/")
	switch {
	case name == "":
		return nil, "", errors.New("no model: say --model provider/model, or set BELLCORD_MODEL")
	case !ok || model == "":
		return nil, "", errors.New("model " + name + ": it is written provider/model")
	case provider != "openai":
		return nil, "", errors.New("model " + name + ": there is no provider " + provider + " (there is openai, for every OpenAI-compatible server)")
	}
	return llm.Patient{Model: h.provider}, model, nil
}

// closeBound is how long an orderly end may take: a stop's hard bound, and time
// to write the ends.
const closeBound = 15 * time.Second

func (h *house) close() error {
	ctx, done := context.WithTimeout(context.Background(), closeBound)
	defer done()
	err := h.Close(ctx)
	h.provider.Close()
	return errors.Join(err, h.store.Close())
}
