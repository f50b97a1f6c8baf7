package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/front/acp"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/lsp"
	"github.com/bellcord/bellcord/internal/tool/mcp"
	"github.com/bellcord/bellcord/internal/tool/web"
	"github.com/bellcord/bellcord/proc"
)

// sessionTools contains the tools of sessions in addition to the built-in
// ones: those of the configured MCP servers, which all sessions share, those
// of MCP servers that the session's editor names, and those that run in the
// editor.
type sessionTools struct {
	config  Config
	builtin []tool.Tool
	spawn   func(bellcord.SessionID) mcp.Spawner
	shared  *mcp.Set
	options mcp.Options

	mu       sync.Mutex
	sessions map[bellcord.SessionID]*editorTools
}

// editorTools contains the tools that an editor provides for a session.
type editorTools struct {
	editor  tool.EditorTools
	servers *mcp.Set
}

func newSessionTools(c Config, policy *confine.Policy, builtin []tool.Tool) *sessionTools {
	t := &sessionTools{
		config: c, builtin: builtin, spawn: func(id bellcord.SessionID) mcp.Spawner { return spawner(policy, c.Secrets, id) },
		options:  mcp.Options{Version: c.Version, Pins: &mcp.Pins{Dir: filepath.Join(c.Settings.DataDir, "mcp")}},
		sessions: map[bellcord.SessionID]*editorTools{},
	}
	var servers []mcp.Server
	for name, s := range c.Settings.MCP {
		servers = append(servers, mcp.Server{Name: name, Command: s.Command, Env: pairs(s.Env), Pass: s.PassEnv, URL: s.URL, Headers: s.Headers, TrustHints: s.TrustHints, WithoutSandbox: s.WithoutSandbox})
	}
	t.shared = mcp.Open(servers, t.spawn(""), t.options)
	return t
}

// spawner returns a function that starts MCP servers of a session as contained
// processes; with an empty id, those of all sessions.
func spawner(policy *confine.Policy, secrets *secret.Set, id bellcord.SessionID) mcp.Spawner {
	return func(s mcp.Server) (mcp.Process, error) {
		env := secret.Environment{Pass: s.Pass, Secrets: secrets}
		running, err := policy.Start(confine.Command{
			Command: proc.Command{Args: s.Command, Dir: s.Dir, Env: append(env.Pairs(), s.Env...), Bare: true, Owner: "mcp " + s.Name, Name: s.Name},
			Kind:    confine.Server, Session: id, Outside: s.WithoutSandbox,
		})
		if err != nil {
			return mcp.Process{}, err
		}
		return mcp.Process{
			Stdin: running.Stdin, Stdout: running.Stdout, Done: running.Done(),
			End: func() { running.End(nil) },
		}, nil
	}
}

// languageServers returns the configured language servers, or nil.
func languageServers(c Config, policy *confine.Policy) *lsp.Set {
	var servers []lsp.Server
	for name, s := range c.Settings.LanguageServers {
		servers = append(servers, lsp.Server{Name: name, Command: s.Command, Files: s.Files, Env: pairs(s.Env), Pass: s.PassEnv})
	}
	if len(servers) == 0 {
		return nil
	}
	return lsp.Open(servers, lsp.Options{Start: languageStarter(policy), Secrets: c.Secrets, Logger: c.Logger, Version: c.Version})
}

// languageStarter returns a function that starts language servers as commands of the
// model are started, because they run programs of the project. Nobody is asked about
// their hosts, so they reach only those that the settings allow.
func languageStarter(policy *confine.Policy) func(proc.Command) (*proc.Running, *bellcord.Sandbox, error) {
	return func(c proc.Command) (*proc.Running, *bellcord.Sandbox, error) {
		prepared, err := policy.Prepare(confine.Command{Command: c, Kind: confine.Shell, Dirs: []string{c.Dir}})
		if err != nil {
			return nil, nil, err
		}
		running, err := prepared.Start()
		return running, prepared.Sandbox, err
	}
}

// toolsOf returns a session's additional tools. If a server does not start,
// its tools are missing and its error is logged.
func (t *sessionTools) toolsOf(ctx context.Context, s bellcord.Session) []tool.Tool {
	t.mu.Lock()
	of := t.sessions[s.ID]
	t.mu.Unlock()
	all, errs := t.shared.Tools(ctx)
	if of != nil {
		more, moreErrs := of.servers.Tools(ctx)
		all, errs = append(all, more...), append(errs, moreErrs...)
		all = append(all, of.editor.Tools(t.builtin)...)
	}
	for _, err := range errs {
		t.config.Logger.Warn("tools of an MCP server are not available", "session", s.ID, "err", err)
	}
	return all
}

// open replaces the tools that a session's editor provides.
func (t *sessionTools) open(id bellcord.SessionID, editor *acp.EditorTools, named []acp.MCPServer) {
	servers := make([]mcp.Server, len(named))
	for i, s := range named {
		servers[i] = mcp.Server{Name: s.Name, URL: s.URL, Headers: map[string]string{}}
		if s.Command != "" {
			servers[i].Command = append([]string{s.Command}, s.Args...)
		}
		for _, p := range s.Env {
			servers[i].Env = append(servers[i].Env, p.Name+"="+p.Value)
		}
		for _, p := range s.Headers {
			servers[i].Headers[p.Name] = p.Value
		}
	}
	tools := throughEditor(editor, t.config.CommandEnvironment())
	if t.config.Settings.Sandbox.Mode == config.SandboxRequire {
		tools.Run = nil // the editor's terminals have no sandbox
	}
	t.mu.Lock()
	old := t.sessions[id]
	t.sessions[id] = &editorTools{
		editor:  tools,
		servers: mcp.Open(servers, t.spawn(id), t.options),
	}
	t.mu.Unlock()
	if old != nil {
		old.servers.Close()
	}
}

// editorOf returns the functions of a session's editor. A session without an
// editor has none.
func (t *sessionTools) editorOf(id bellcord.SessionID) tool.EditorTools {
	t.mu.Lock()
	defer t.mu.Unlock()
	if of := t.sessions[id]; of != nil {
		return of.editor
	}
	return tool.EditorTools{}
}

// throughEditor adapts the editor's methods to tools.
func throughEditor(d *acp.EditorTools, env secret.Environment) tool.EditorTools {
	out := tool.EditorTools{Env: env}
	if d.Reads {
		out.Read = d.ReadText
	}
	if d.Writes {
		out.Write = d.WriteText
	}
	if d.Terminals {
		out.Run = func(ctx context.Context, c tool.EditorCommand) (tool.EditorExit, error) {
			exit, err := d.Terminal(ctx, acp.Command(c))
			if errors.Is(err, acp.ErrNotRun) {
				err = fmt.Errorf("%w: %w", tool.ErrEditorNotRun, err)
			}
			return tool.EditorExit(exit), err
		}
	}
	return out
}

func (t *sessionTools) has(id bellcord.SessionID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sessions[id] != nil
}

func (t *sessionTools) closeSession(id bellcord.SessionID) {
	t.mu.Lock()
	of := t.sessions[id]
	delete(t.sessions, id)
	t.mu.Unlock()
	if of != nil {
		of.servers.Close()
	}
}

func (t *sessionTools) close() {
	t.mu.Lock()
	all := t.sessions
	t.sessions = map[bellcord.SessionID]*editorTools{}
	t.mu.Unlock()
	for _, of := range all {
		of.servers.Close()
	}
	t.shared.Close()
}

// webSearch returns the tool web_search, or nothing if no service is configured.
func webSearch(s config.WebSearch) []tool.Tool {
	if s.Provider == "" {
		return nil
	}
	return []tool.Tool{tool.WebSearch(web.Engine{Service: s.Provider, URL: s.URL, Key: s.Key()})}
}

func pairs(m map[string]string) []string {
	var all []string
	for name, value := range m {
		all = append(all, name+"="+value)
	}
	return all
}

// CommandEnvironment returns the environment of the commands that agents run.
func (c Config) CommandEnvironment() secret.Environment {
	return secret.Environment{Pass: c.Settings.Commands.PassEnv, Secrets: c.Secrets}
}
