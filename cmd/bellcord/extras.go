package main

import (
	"context"
	"log/slog"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/acp"
	"github.com/bellcord/bellcord/internal/proc"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/mcp"
)

// extras are the tools that a session has besides our own: those of the MCP
// servers in the configuration, which all sessions share, those of the servers
// that its editor names, and those that work through the editor.
type extras struct {
	own    []tool.Tool
	spawn  mcp.Spawner
	shared *mcp.Set
	logger *slog.Logger

	mu       sync.Mutex
	sessions map[bellcord.SessionID]*extra
}

type extra struct {
	desk    tool.Desk
	servers *mcp.Set
}

func newExtras(c config.Config, keeper *proc.Keeper, own []tool.Tool, logger *slog.Logger) *extras {
	x := &extras{own: own, spawn: spawner(keeper), logger: logger, sessions: map[bellcord.SessionID]*extra{}}
	var servers []mcp.Server
	for name, s := range c.MCP {
		servers = append(servers, mcp.Server{Name: name, Command: s.Command, Env: pairs(s.Env), URL: s.URL, Headers: s.Headers})
	}
	x.shared = mcp.Open(servers, x.spawn, mcp.Options{})
	return x
}

// spawner starts MCP servers contained, like every other process of ours.
func spawner(keeper *proc.Keeper) mcp.Spawner {
	return func(s mcp.Server) (mcp.Process, error) {
		running, err := keeper.Start(proc.Command{
			Args: s.Command, Dir: s.Dir, Env: append(tool.ProgramEnvironment(), s.Env...), Bare: true, Owner: "mcp " + s.Name, Name: s.Name,
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

// tools returns a session's; what a server that does not start has to say goes
// to the log, and its tools are missing.
func (x *extras) tools(ctx context.Context, s bellcord.Session) []tool.Tool {
	x.mu.Lock()
	of := x.sessions[s.ID]
	x.mu.Unlock()
	all, errs := x.shared.Tools(ctx)
	if of != nil {
		more, moreErrs := of.servers.Tools(ctx)
		all, errs = append(all, more...), append(errs, moreErrs...)
		all = append(all, of.desk.Tools(x.own)...)
	}
	for _, err := range errs {
		x.logger.Warn("mcp", "session", s.ID, "err", err)
	}
	return all
}

// opened is told by the ACP front what a session comes with.
func (x *extras) opened(id bellcord.SessionID, desk *acp.Desk, named []acp.MCPServer) {
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
	x.mu.Lock()
	old := x.sessions[id]
	x.sessions[id] = &extra{desk: deskTools(desk), servers: mcp.Open(servers, x.spawn, mcp.Options{})}
	x.mu.Unlock()
	if old != nil {
		old.servers.Close()
	}
}

// deskTools gives the editor's own methods the shape that tools want.
func deskTools(d *acp.Desk) tool.Desk {
	var out tool.Desk
	if d.Reads {
		out.Read = d.ReadText
	}
	if d.Writes {
		out.Write = d.WriteText
	}
	if d.Terminals {
		out.Run = func(ctx context.Context, args []string, dir string, output func(string)) (tool.DeskExit, error) {
			exit, err := d.Terminal(ctx, args, dir, output)
			return tool.DeskExit(exit), err
		}
	}
	return out
}

func (x *extras) closed(id bellcord.SessionID) {
	x.mu.Lock()
	of := x.sessions[id]
	delete(x.sessions, id)
	x.mu.Unlock()
	if of != nil {
		of.servers.Close()
	}
}

func (x *extras) close() {
	x.mu.Lock()
	all := x.sessions
	x.sessions = map[bellcord.SessionID]*extra{}
	x.mu.Unlock()
	for _, of := range all {
		of.servers.Close()
	}
	x.shared.Close()
}

func pairs(m map[string]string) []string {
	var all []string
	for name, value := range m {
		all = append(all, name+"="+value)
	}
	return all
}
