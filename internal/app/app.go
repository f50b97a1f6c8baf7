// Package app builds a running Bellcord from its settings: the store, the hub,
// the agents with their models, tools and permissions, and the connection to
// other nodes. Commands and servers share it; it reads no flags and prints
// nothing.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/cluster"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/undo"
	"github.com/bellcord/bellcord/proc"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

// Config contains everything that an App is built from.
type Config struct {
	// Settings are the settings of the file, with environment and flags
	// applied.
	Settings config.Config
	// Version is the version of this program. It is sent to other nodes,
	// agents and MCP servers.
	Version string
	// Secrets are replaced in events, and withheld from the environment of commands.
	Secrets *secret.Set
	Logger  *slog.Logger

	// TurnLog, if set, receives a line for every turn that is stopped or
	// fails. If it is set, traces are also sent, provided that OpenTelemetry's
	// variables name an endpoint.
	TurnLog *slog.Logger
	// Watch, if set, is called with every commit of the hub.
	Watch func(store.Commit)
	// Admission limits the turns of the hub; nil for no limit.
	Admission *hub.Admission
	// Temporary means that everything is removed at the end: missing caches in the
	// home directory are not created.
	Temporary bool
}

// App is an open store with a hub, and everything that its agents use.
type App struct {
	Hub    *hub.Hub
	Store  Store
	Models *Models

	config     Config
	logger     *slog.Logger
	bus        *cluster.Bus  // nil without NATS
	node       *cluster.Node // the hub as a cluster node; nil without NATS
	keeper     *proc.Keeper
	background *tool.SessionResources
	tools      *sessionTools
	policy     *permit.Policy
	agents     *agentRouter
	undo       *undo.Recorder // nil if undo is off
	reports    *reports       // nil without Config.TurnLog
	recovery   *recovery
	closing    chan struct{} // closed when Close begins
	closeOnce  sync.Once
}

// Open opens the store, ends the processes that a crash left running, and opens
// the hub. The caller closes the App.
func Open(ctx context.Context, c Config) (*App, error) {
	a := &App{
		Models: NewModels(c.Settings), config: c, logger: c.Logger,
		background: &tool.SessionResources{Dir: filepath.Join(c.Settings.DataDir, "background"), Env: c.CommandEnvironment()},
		closing:    make(chan struct{}),
	}
	a.recovery = newRecovery(a)
	opened := make(chan struct{})
	if err := a.openReports(ctx, opened); err != nil {
		return nil, err
	}
	err := a.openStore(ctx)
	if err != nil {
		a.Hub = nil // reports may still request a session's agent
	}
	close(opened)
	if err != nil {
		return nil, errors.Join(err, a.closeReports())
	}
	return a, nil
}

func (a *App) openStore(ctx context.Context) (err error) {
	if a.Store, err = OpenStore(ctx, a.config); err != nil {
		return err
	}
	if err := a.openAgents(ctx); err != nil {
		return errors.Join(err, a.Store.Close())
	}
	return nil
}

// openAgents ends the processes that a crash left running before it opens the
// hub, because the hub declares their turns lost.
func (a *App) openAgents(ctx context.Context) (err error) {
	c := a.config.Settings
	if a.policy, err = openPolicy(c, a.logger); err != nil {
		return err
	}
	system, err := systemPrompt(c.SystemPromptFile)
	if err != nil {
		return err
	}
	keeping := proc.Options{Logger: a.logger, KeepReports: true, AdoptOrphans: true}
	if shared, is := a.Store.(*postgres.Store); is {
		keeping.Label = shared.NodeID()
	}
	a.undo = a.newRecorder()
	interrupted := a.undo.Interrupted() // before the keeper ends the processes of these calls
	if a.keeper, err = proc.Open(ledgerDir(c.DataDir), keeping); err != nil {
		return err
	}
	private := privateFiles(c, a.policy)
	a.background.Confine = newConfinement(a.config, a.keeper, private.Paths)
	a.background.Confine.Tmp.Sweep() // the keeper has ended the processes that used them
	a.background.Servers = languageServers(a.config, a.background.Confine)
	builtin := tool.KeepOut(private, append(tool.Builtin(a.keeper, a.background), webSearch(c.WebSearch)...))
	a.tools = newSessionTools(a.config, a.background.Confine, builtin)
	native := &react.Agent{
		Model: a.Models.Find, Tools: builtin, More: a.tools.toolsOf, Background: a.background.List, Policy: a.policy, Plan: true, Undo: a.undo,
		Sandboxed: a.background.Confine.Confines, System: system, Instructions: []string{config.Instructions()}, Private: private, CompactAt: c.CompactAt, Titles: c.TitleModel,
	}
	a.agents = &agentRouter{
		native: native, settings: c, version: a.config.Version, keeper: a.keeper, confine: a.background.Confine, policy: a.policy,
		private: private, env: a.background.Env, logger: a.logger, editor: a.tools.editorOf, undo: a.undo,
	}
	if c.Agent != "" {
		if _, err := AgentDefinition(c, c.Agent); err != nil {
			return errors.Join(err, a.keeper.Close())
		}
	}
	if err := a.openHub(ctx); err != nil {
		return errors.Join(err, a.keeper.Close())
	}
	a.recovery.start(ctx)
	a.undo.Recover(interrupted)
	return nil
}

// systemPrompt returns the template in the file, "" if no file is named.
func systemPrompt(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("system_prompt_file: %w", err)
	}
	return string(text), nil
}

// CloseTimeout limits an orderly shutdown: the hard limit of a stop, plus time
// to write the ends of the turns.
const CloseTimeout = 15 * time.Second

// Close stops every turn, ends all processes and closes the store.
func (a *App) Close() error {
	a.closeOnce.Do(func() { close(a.closing) })
	ctx, done := context.WithTimeout(context.Background(), CloseTimeout)
	defer done()
	a.recovery.done.Wait()
	err := a.Hub.Close(ctx)
	a.agents.endHosted()
	a.tools.close()
	a.background.EndAll()
	a.background.Servers.Close()
	a.Models.Close()
	if a.bus != nil {
		a.bus.Close()
	}
	err = errors.Join(err, a.undo.Close(), a.closeReports(), a.keeper.Close())
	a.background.Confine.Tmp.Close(ctx)
	return errors.Join(err, a.Store.Close())
}
