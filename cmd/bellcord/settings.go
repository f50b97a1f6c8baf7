package main

import (
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/proc"
)

// settings are the flags that commands share.
type settings struct {
	file, data, store, nats, model, mode, agent string
	deadline                                    time.Duration
	tokens                                      int64
	cost                                        float64
	steps                                       int

	set *pflag.FlagSet // to distinguish a flag set to 0 from one that is not set
}

// given reports whether the flag was set on the command line.
func (s *settings) given(flag string) bool { return s.set != nil && s.set.Changed(flag) }

// dataFlags adds the flags that select the store.
func (s *settings) dataFlags(cmd *cobra.Command) {
	s.set = cmd.Flags()
	cmd.Flags().StringVar(&s.file, "config", "", "configuration `file` (env BELLCORD_CONFIG; default: bellcord/config.toml in the XDG config directory)")
	cmd.Flags().StringVar(&s.data, "data-dir", "", "data `directory`, with the store (env BELLCORD_DATA; default: bellcord in the XDG data directory)")
	cmd.Flags().StringVar(&s.store, "store-url", "", "`URL` of a PostgreSQL store that several machines share, postgres://… (env BELLCORD_STORE; default: a file in the data directory)")
}

// agentFlags adds the flags that control how turns run.
func (s *settings) agentFlags(cmd *cobra.Command) {
	s.dataFlags(cmd)
	cmd.Flags().StringVar(&s.model, "model", "", "model as `provider/model`, such as anthropic/NAME (env BELLCORD_MODEL; bellcord models lists them)")
	cmd.Flags().StringVar(&s.agent, "agent", "", "`name` of an agent to host instead of Bellcord's own (env BELLCORD_AGENT; bellcord agents lists them)")
	cmd.Flags().StringVar(&s.mode, "mode", "", "permission `mode`: read-only, ask, auto-edit or full (env BELLCORD_MODE; default ask)")
	cmd.Flags().DurationVar(&s.deadline, "deadline", 0, "maximum `duration` of a turn, such as 90s or 5m; 0s for no limit (default: no limit)")
	cmd.Flags().Int64Var(&s.tokens, "max-tokens", 0, "maximum number of tokens per turn; 0 for no limit (default: no limit)")
	cmd.Flags().Float64Var(&s.cost, "max-cost", 0, "maximum cost of a turn in dollars; needs the model's price in the configuration; 0 for no limit (default: no limit)")
	cmd.Flags().IntVar(&s.steps, "max-steps", 0, "maximum number of model requests per turn; 0 for no limit (default 100)")
}

// load returns the configuration. Flags override the environment, which overrides the file.
func (s *settings) load() (config.Config, error) {
	c, err := config.Load(s.file)
	if err != nil {
		return c, err
	}
	for _, f := range []struct {
		flag string
		to   *string
	}{{s.data, &c.DataDir}, {s.store, &c.StoreURL}, {s.nats, &c.Cluster.NATSURL}, {s.model, &c.Model}, {s.mode, &c.Mode}, {s.agent, &c.Agent}} {
		if f.flag != "" {
			*f.to = f.flag
		}
	}
	if s.given("deadline") {
		c.Limits.Deadline = config.Duration(s.deadline)
	}
	if s.given("max-tokens") {
		c.Limits.MaxTokens = s.tokens
	}
	if s.given("max-cost") {
		c.Limits.MaxCostUSD = s.cost
	}
	if s.given("max-steps") {
		c.Limits.MaxSteps = s.steps
	}
	secretSet.Add(c.Secrets()...)
	return c, c.Check()
}

// appConfig returns the configuration of an App for this process. Turns are logged to turns and
// traced; if turns is nil, they are neither logged nor traced.
func appConfig(c config.Config, turns *slog.Logger) app.Config {
	return app.Config{Settings: c, Version: version, Secrets: secretSet, Logger: logger(), TurnLog: turns}
}

// logger logs warnings and errors to stderr, because stdout may carry a protocol.
func logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// turnLog returns the logger for the turns of bellcord acp, run and chat: stderr if shown is set,
// otherwise a logger that discards everything, because the screen already shows the turns.
func turnLog(shown bool) *slog.Logger {
	out := io.Discard
	if shown {
		out = stderr
	}
	return slog.New(slog.NewTextHandler(out, nil))
}

// hideMemory makes a command that runs turns hide its memory and environment, which contain keys,
// from the commands of its turns.
func hideMemory(cmd *cobra.Command) {
	cmd.PreRun = func(*cobra.Command, []string) {
		if err := proc.HideMemory(); err != nil {
			logger().Warn("memory of this process is readable by other processes of this user", "err", err)
		}
	}
}
