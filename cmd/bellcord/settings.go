package main

import (
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/config"
)

// settings are the flags that commands share.
type settings struct {
	file, data, store, nats, model, mode, agent string
	deadline                                    time.Duration
	tokens                                      int64
	cost                                        float64
	steps                                       int
}

// dataFlags says where the store is.
func (s *settings) dataFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.file, "config", "", "configuration `file` (default: XDG config directory, bellcord/config.toml)")
	cmd.Flags().StringVar(&s.data, "data", "", "`directory` of the store (env BELLCORD_DATA; default: XDG data directory, bellcord)")
	cmd.Flags().StringVar(&s.store, "store", "", "`URL` of a store that several machines share, postgres://… (env BELLCORD_STORE; default: a file in the data directory)")
}

// agentFlags says how turns run.
func (s *settings) agentFlags(cmd *cobra.Command) {
	s.dataFlags(cmd)
	cmd.Flags().StringVar(&s.model, "model", "", "`provider/model`, such as anthropic/NAME (env BELLCORD_MODEL)")
	cmd.Flags().StringVar(&s.agent, "agent", "", "host this agent (see bellcord agents) instead of our own (env BELLCORD_AGENT)")
	cmd.Flags().StringVar(&s.mode, "mode", "", "read-only, `ask`, auto-edit or full: how much is allowed without asking (env BELLCORD_MODE)")
	cmd.Flags().DurationVar(&s.deadline, "deadline", 0, "longest a turn may take")
	cmd.Flags().Int64Var(&s.tokens, "max-tokens", 0, "token budget of a turn")
	cmd.Flags().Float64Var(&s.cost, "max-cost", 0, "budget of a turn in dollars; the model's price has to be known")
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
	}{{s.data, &c.Data}, {s.store, &c.Store}, {s.nats, &c.Cluster.NATS}, {s.model, &c.Model}, {s.mode, &c.Mode}, {s.agent, &c.Agent}} {
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
	if s.cost > 0 {
		c.Limits.Cost = s.cost
	}
	if s.steps > 0 {
		c.Limits.Steps = s.steps
	}
	return c, c.Check()
}

// modelOf a new session: a hosted agent has its own.
func modelOf(c config.Config) string {
	if c.Agent != "" {
		return ""
	}
	return c.Model
}

// limits of a prompt.
func limits(c config.Config) bellcord.Prompt {
	billionths := func(dollars float64) int64 { return int64(dollars * 1e9) }
	return bellcord.Prompt{
		Steps: c.Limits.Steps, Tokens: c.Limits.Tokens, Cost: billionths(c.Limits.Cost), Deadline: time.Duration(c.Limits.Deadline),
		Session: bellcord.Allowance{Tokens: c.Limits.SessionTokens, Cost: billionths(c.Limits.SessionCost)},
	}
}

// logger logs to stderr, where no protocol is spoken.
func logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
