package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/child"
	childacp "github.com/bellcord/bellcord/internal/agent/child/acp"
	"github.com/bellcord/bellcord/internal/agent/child/pi"
	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/proc"
	"github.com/bellcord/bellcord/internal/tool"
)

// agents does a session's work by our own agent or by the one that the session
// names. A hosted one is set up when it is first asked for.
type agents struct {
	native bellcord.Agent
	config config.Config
	keeper *proc.Keeper
	policy *permit.Policy
	logger *slog.Logger

	mu     sync.Mutex
	hosted map[string]*child.Agent
}

// Run implements bellcord.Agent.
func (a *agents) Run(ctx context.Context, w *bellcord.Work) error {
	if w.Session.Agent == "" {
		return a.native.Run(ctx, w)
	}
	hosted, err := a.named(w.Session.Agent)
	if err != nil {
		return err
	}
	return hosted.Run(ctx, w)
}

func (a *agents) named(name string) (*child.Agent, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hosted[name] == nil {
		d, err := definition(a.config, name)
		if err != nil {
			return nil, err
		}
		if a.hosted == nil {
			a.hosted = map[string]*child.Agent{}
		}
		a.hosted[name] = host(d, a.keeper, a.policy, a.logger)
	}
	return a.hosted[name], nil
}

// host sets up an agent that we host.
func host(d preset.Definition, keeper *proc.Keeper, policy *permit.Policy, logger *slog.Logger) *child.Agent {
	speak := pi.New
	if d.Protocol == preset.ACP {
		speak = func(p child.Process) child.Speaker {
			return childacp.New(p, childacp.Options{Policy: policy, Keeper: keeper, Version: version, Logger: logger})
		}
	}
	return &child.Agent{
		Definition: child.Definition{Name: d.Name, Command: d.Command, Env: environment(d), Renew: d.Renew},
		Keeper:     keeper, Speak: speak, Logger: logger,
	}
}

// end ends a session's hosted process, whichever it is.
func (a *agents) end(id bellcord.SessionID) {
	for _, hosted := range a.all() {
		hosted.End(id)
	}
}

// close ends all of them at once.
func (a *agents) close() {
	var every sync.WaitGroup
	for _, hosted := range a.all() {
		every.Go(hosted.Close)
	}
	every.Wait()
}

func (a *agents) all() []*child.Agent {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Values(a.hosted))
}

// definition of an agent: what the configuration says over what we know.
func definition(c config.Config, name string) (preset.Definition, error) {
	d, known := preset.Named(name)
	own, configured := c.Agents[name]
	if !known && !configured {
		return d, fmt.Errorf("there is no agent %s (there is %s)", name, strings.Join(agentNames(c), ", "))
	}
	d.Name = name
	if len(own.Command) > 0 {
		d.Command = own.Command
	}
	if own.Protocol != "" || !known {
		d.Protocol = own.Protocol
	}
	d.Renew = d.Renew || own.Renew
	if own.Home != "" {
		d.Home = own.Home
	}
	d.Env = maps.Clone(d.Env)
	if d.Env == nil {
		d.Env = map[string]string{}
	}
	for _, pass := range append(passed[name], own.Pass...) {
		for _, pair := range tool.ProgramEnvironment() {
			variable, value, _ := strings.Cut(pair, "=")
			if variable == pass || strings.HasSuffix(pass, "*") && strings.HasPrefix(variable, strings.TrimSuffix(pass, "*")) {
				d.Env[variable] = value
			}
		}
	}
	maps.Copy(d.Env, own.Env)
	return d, d.Check()
}

// passed is what of our environment agents that we know are given besides what
// every program needs: their own settings, and the keys they look for.
var passed = map[string][]string{
	"pi":       {"PI_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*"},
	"claude":   {"ANTHROPIC_*", "CLAUDE_*"},
	"codex":    {"OPENAI_*", "CODEX_*"},
	"gemini":   {"GEMINI_*", "GOOGLE_*"},
	"goose":    {"GOOSE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "OLLAMA_*"},
	"opencode": {"OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "OPENROUTER_*"},
	"qwen":     {"QWEN_*", "OPENAI_*", "DASHSCOPE_*"},
	"kimi":     {"KIMI_*", "MOONSHOT_*"},
}

func environment(d preset.Definition) []string {
	env := pairs(d.Env)
	if d.Home != "" {
		env = append(env, "HOME="+d.Home, "XDG_CONFIG_HOME="+filepath.Join(d.Home, ".config"),
			"XDG_DATA_HOME="+filepath.Join(d.Home, ".local", "share"), "XDG_CACHE_HOME="+filepath.Join(d.Home, ".cache"))
	}
	return env
}

func agentNames(c config.Config) []string {
	names := slices.Collect(maps.Keys(c.Agents))
	for _, d := range preset.All() {
		names = append(names, d.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func agentsCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "agents [NAME…]",
		Short: "List the agents that can be hosted: which are installed, and which start",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.load()
			if err != nil {
				return err
			}
			return listAgents(cmd.Context(), c, args)
		},
	}
	s.dataFlags(cmd)
	return cmd
}

func listAgents(ctx context.Context, c config.Config, only []string) error {
	keeper, err := proc.Open("", proc.Options{Logger: logger()})
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "AGENT\tPROTOCOL\tCOMMAND\tSTATE")
	for _, name := range agentNames(c) {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		d, err := definition(c, name)
		state := ""
		if err == nil {
			state, err = tryAgent(ctx, d, keeper)
		}
		if err != nil {
			state = strings.Join(strings.Fields(err.Error()), " ")
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", name, d.Protocol, strings.Join(d.Command, " "), state)
	}
	return errors.Join(out.Flush(), keeper.Close())
}

// tryAgent starts an agent and has it open a session, in a directory of its own.
func tryAgent(ctx context.Context, d preset.Definition, keeper *proc.Keeper) (string, error) {
	if _, err := d.Find(); err != nil {
		return "not installed: " + d.Install, nil //nolint:nilerr // that is what was asked
	}
	dir, err := os.MkdirTemp("", "bellcord-agent")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	took, err := host(d, keeper, nil, logger()).Try(ctx, bellcord.Session{ID: bellcord.NewSessionID(), Dir: dir})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("starts in %s", took.Round(time.Millisecond)), nil
}
