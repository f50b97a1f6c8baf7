package app

import (
	"cmp"
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
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/child"
	childacp "github.com/bellcord/bellcord/internal/agent/child/acp"
	"github.com/bellcord/bellcord/internal/agent/child/pi"
	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/workspace"
	"github.com/bellcord/bellcord/internal/undo"
	"github.com/bellcord/bellcord/proc"
)

// agentRouter runs a turn with Bellcord's own agent or with the hosted agent that
// the session names. A hosted agent is set up when it is first used.
type agentRouter struct {
	native   hub.Agent
	settings config.Config
	version  string
	keeper   *proc.Keeper
	confine  *confine.Policy
	policy   *permit.Policy
	private  workspace.Private
	env      secret.Environment // of the commands that Bellcord runs for hosted agents
	client   clientParams
	editor   func(bellcord.SessionID) tool.EditorTools // the functions of a session's editor
	logger   *slog.Logger
	undo     *undo.Recorder

	mu     sync.Mutex
	hosted map[string]*child.Agent
	hub    *hub.Hub // accepts turns for the work that hosted agents begin themselves
}

func (a *agentRouter) setHub(h *hub.Hub) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hub = h
}

// Run implements hub.Agent.
func (a *agentRouter) Run(ctx context.Context, w *hub.Work) error {
	if err := new(realdir.Held).Check(w.Session.Dir); err != nil {
		return err
	}
	if w.Session.Agent == "" {
		if w.Prompt.Task == bellcord.TaskUnprompted {
			return errors.New("the built-in agent works for prompts only")
		}
		return a.native.Run(ctx, w)
	}
	hosted, err := a.named(w.Session.Agent)
	if err != nil {
		return err
	}
	return hosted.Run(ctx, w)
}

func (a *agentRouter) named(name string) (*child.Agent, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hosted[name] == nil {
		d, err := AgentDefinition(a.settings, name)
		if err == nil {
			_, err = d.Find() // the error contains how to install the agent
		}
		if err != nil {
			return nil, err
		}
		if a.hosted == nil {
			a.hosted = map[string]*child.Agent{}
		}
		starter := agentStarter{policy: a.confine, home: cmp.Or(d.Home, d.Env["HOME"]), outside: a.settings.Agents[name].WithoutSandbox}
		if starter.excludesOthers(os.Geteuid()) {
			d = inSandbox(d)
		} else {
			d.SandboxedMode = ""
		}
		a.hosted[name] = hostAgent(d, starter, childacp.Options{
			Policy: a.policy, Keeper: a.keeper, Confine: a.confine, Private: a.private, Env: a.env, Version: a.version, Logger: a.logger,
			Client: a.client.initialize, Params: a.client.paramsOf, Editor: a.editor,
			EditorTerminals: a.settings.Agents[name].Terminals == config.TerminalsEditor, SandboxedMode: d.SandboxedMode,
		})
		if starter.confined() {
			a.hosted[name].InDir = true
		}
		if a.hub != nil {
			a.hosted[name].Turns = a.hub
		}
		a.hosted[name].Undo, a.hosted[name].Sandbox, a.hosted[name].Idle = a.undo, starter.describe(), idleTime(a.settings.Agents[name])
	}
	return a.hosted[name], nil
}

// inSandbox adds the variables of an agent that cannot start its own sandbox,
// except those that the user has set.
func inSandbox(d preset.Definition) preset.Definition {
	env := maps.Clone(d.InSandbox)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, d.Env)
	d.Env = env
	return d
}

// hostAgent returns a hosted agent. It starts no process.
func hostAgent(d preset.Definition, keeper child.Starter, opts childacp.Options) *child.Agent {
	speak := pi.New
	if d.Protocol == preset.ACP {
		speak = func(p child.Process) child.Speaker {
			return childacp.New(p, opts)
		}
	}
	return &child.Agent{
		Definition: child.Definition{Name: d.Name, Command: d.Command, Env: AgentEnvironment(d), Renew: d.Renew},
		Keeper:     keeper, NewSpeaker: speak, InDir: d.Protocol == preset.Pi, Logger: opts.Logger,
	}
}

// idleTime returns the value of child.Agent.Idle for the settings of an agent.
func idleTime(own config.Agent) time.Duration {
	switch {
	case own.IdleTimeout == nil:
		return 0 // the default
	case *own.IdleTimeout == 0:
		return -1
	}
	return time.Duration(*own.IdleTimeout)
}

// endHostedOf ends the hosted agent process of a session, if there is one.
func (a *agentRouter) endHostedOf(id bellcord.SessionID) {
	a.client.removeSession(id)
	for _, hosted := range a.all() {
		hosted.End(id)
	}
}

// endHosted ends all hosted agents concurrently.
func (a *agentRouter) endHosted() {
	var every sync.WaitGroup
	for _, hosted := range a.all() {
		every.Go(hosted.Close)
	}
	every.Wait()
}

func (a *agentRouter) all() []*child.Agent {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Values(a.hosted))
}

// AgentDefinition returns the preset with the given name, with the settings
// applied. It returns an error if neither a preset nor the settings define the
// agent.
func AgentDefinition(c config.Config, name string) (preset.Definition, error) {
	d, known := preset.Named(name)
	own, configured := c.Agents[name]
	if !known && !configured {
		return d, UnknownName("agent", name, AgentNames(c))
	}
	d.Name = name
	if len(own.Command) > 0 {
		d.Command = own.Command
	}
	if own.Protocol != "" || !known {
		d.Protocol = own.Protocol
	}
	d.Renew = d.Renew || own.NewSessionAfterStop
	if own.Home != "" {
		d.Home = own.Home
	}
	d.Env = maps.Clone(d.Env)
	if d.Env == nil {
		d.Env = map[string]string{}
	}
	d.Pass = append(d.Pass, own.PassEnv...)
	for _, pair := range (secret.Environment{Pass: d.Pass}).Passed() {
		variable, value, _ := strings.Cut(pair, "=")
		d.Env[variable] = value
	}
	maps.Copy(d.Env, own.Env)
	return d, d.Check()
}

// AgentEnvironment returns the variables that an agent is started with.
func AgentEnvironment(d preset.Definition) []string {
	env := pairs(d.Env)
	if d.Home != "" {
		env = append(env, "HOME="+d.Home, "XDG_CONFIG_HOME="+filepath.Join(d.Home, ".config"),
			"XDG_DATA_HOME="+filepath.Join(d.Home, ".local", "share"), "XDG_CACHE_HOME="+filepath.Join(d.Home, ".cache"))
	}
	return env
}

// AgentNames returns the names of all presets and configured agents, sorted.
func AgentNames(c config.Config) []string {
	names := slices.Collect(maps.Keys(c.Agents))
	for _, d := range preset.All() {
		names = append(names, d.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TryAgent starts an agent, opens a session in a temporary directory, and
// returns a sentence about the result. An agent that is not installed is not
// an error.
func TryAgent(ctx context.Context, c Config, d preset.Definition, keeper *proc.Keeper) (string, error) {
	if _, err := d.Find(); err != nil {
		return "not installed: " + d.Install, nil //nolint:nilerr // the state is the answer
	}
	dir, err := os.MkdirTemp("", "bellcord-agent")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	took, err := hostAgent(d, child.Unconfined{Keeper: keeper}, childacp.Options{Keeper: keeper, Version: c.Version, Logger: c.Logger}).Try(ctx, bellcord.Session{ID: bellcord.NewSessionID(), Dir: dir})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("starts in %s", took.Round(time.Millisecond)), nil
}
