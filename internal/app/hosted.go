package app

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"sync"

	"github.com/bellcord/bellcord"
	iacp "github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/front/acp"
)

// clientParams contains the parameters of a client's requests. Hosted agents
// receive them, so that they behave as they do without Bellcord.
type clientParams struct {
	mu       sync.Mutex
	hello    json.RawMessage // of initialize
	sessions map[bellcord.SessionID]iacp.Members
}

func (p *clientParams) initialize() json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hello
}

func (p *clientParams) setInitialize(params json.RawMessage) {
	p.mu.Lock()
	p.hello = params
	p.mu.Unlock()
}

// paramsOf returns what the client added to its request to open a session.
func (p *clientParams) paramsOf(id bellcord.SessionID) iacp.Members {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.sessions[id])
}

func (p *clientParams) setParams(id bellcord.SessionID, params json.RawMessage) {
	members := iacp.MembersOf(params).Without("sessionId", "cwd")
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sessions == nil {
		p.sessions = map[bellcord.SessionID]iacp.Members{}
	}
	p.sessions[id] = members
}

func (p *clientParams) removeSession(id bellcord.SessionID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sessions, id)
}

// hostedAgent is the hosted agent of an editor's sessions, as the front needs it.
type hostedAgent struct {
	name   string
	dir    string // working directory of a process without a session
	opened func() (*App, error)
}

func (h hostedAgent) agent() (*App, *child.Agent, error) {
	a, err := h.opened()
	if err != nil {
		return nil, nil, err
	}
	agent, err := a.agents.named(h.name)
	return a, agent, err
}

// prepare starts the agent before its first session. An error is reported by
// the first request that needs the agent.
func (h hostedAgent) prepare() {
	if _, agent, err := h.agent(); err == nil {
		_ = agent.Prepare(h.dir)
	}
}

// Initialize implements acp.Hosted.
func (h hostedAgent) Initialize(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	a, agent, err := h.agent()
	if err != nil {
		return nil, err
	}
	a.agents.client.setInitialize(params)
	return agent.Initialize(ctx, h.dir)
}

// Open implements acp.Hosted.
func (h hostedAgent) Open(ctx context.Context, s bellcord.Session, params json.RawMessage, client acp.HostedClient) (json.RawMessage, error) {
	a, agent, err := h.agent()
	if err != nil {
		return nil, err
	}
	a.agents.client.setParams(s.ID, params)
	known, err := a.Hub.AgentSession(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	settings, err := agent.OpenSession(ctx, s, known, client)
	return settings.Reply, err
}

// Settings implements acp.Hosted.
func (h hostedAgent) Settings(id bellcord.SessionID) []json.RawMessage {
	_, agent, err := h.agent()
	if err != nil {
		return nil
	}
	return agent.SettingsOf(id).Updates
}

// Request implements acp.Hosted.
func (h hostedAgent) Request(ctx context.Context, id bellcord.SessionID, method string, params json.RawMessage) (json.RawMessage, error) {
	a, agent, err := h.agent()
	if err != nil {
		return nil, err
	}
	reply, err := agent.Request(ctx, id, h.dir, method, params)
	if id == "" || !errors.Is(err, child.ErrNotRunning) {
		return reply, err
	}
	if err := h.reopen(ctx, a, agent, id); err != nil { // its process was idle, or was released
		return nil, err
	}
	return agent.Request(ctx, id, h.dir, method, params)
}

// reopen starts a process for a session that the client has open.
func (h hostedAgent) reopen(ctx context.Context, a *App, agent *child.Agent, id bellcord.SessionID) error {
	s, err := a.Hub.Session(ctx, id)
	if err != nil {
		return err
	}
	known, err := a.Hub.AgentSession(ctx, id)
	if err != nil {
		return err
	}
	_, err = agent.OpenSession(ctx, s, known, nil)
	return err
}

// Release implements acp.Hosted.
func (h hostedAgent) Release(id bellcord.SessionID) bool {
	_, agent, err := h.agent()
	return err == nil && agent.ReleaseProcess(id)
}

// Notify implements acp.Hosted.
func (h hostedAgent) Notify(id bellcord.SessionID, method string, params json.RawMessage, own bool) {
	if _, agent, err := h.agent(); err == nil {
		agent.Notify(id, method, params, own)
	}
}

// workingDir returns the directory in which Bellcord was started.
func workingDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return os.TempDir()
	}
	return dir
}
