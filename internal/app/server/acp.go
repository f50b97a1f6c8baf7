package server

import (
	"encoding/json"
	"maps"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/front/acp"
	"github.com/bellcord/bellcord/internal/front/acpnet"
)

// acpPath is the path of the Agent Client Protocol.
const acpPath = "/acp"

// openACP serves the Agent Client Protocol next to the HTTP API.
func (s *Server) openACP() {
	c := s.settings
	named := &namedServers{app: s.app}
	s.acp = acpnet.New(acpnet.Config{
		Hub: s.app.Hub, Web: s.web, Logger: s.logger,
		ACP: acp.Config{
			Version: s.version, Agent: c.Agent, Model: app.DefaultModel(c), Models: c.Models, Mode: c.Mode,
			Prompt: app.PromptLimits(c), Logger: s.logger,
			CheckModel: s.app.Models.Check, ContextSize: s.app.Models.ContextWindow, Efforts: s.app.Models.Efforts,
			Opened: named.open, Background: s.app.Background(),
			Files: func() (acp.Files, error) { return s.app.Files(), nil },
		},
	})
	s.web.Mount(acpPath, s.acp)
}

// namedServers starts the MCP servers that clients name for their sessions.
type namedServers struct {
	app *app.App

	mu sync.Mutex
	of map[bellcord.SessionID]string // the servers of each session, encoded
}

// open gives a session the MCP servers. A client that reconnects names the same
// ones, which a running turn may be using: they are kept.
func (n *namedServers) open(id bellcord.SessionID, tools *acp.EditorTools, servers []acp.MCPServer) {
	text, err := json.Marshal(servers)
	if err != nil || len(servers) == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.of == nil {
		n.of = map[bellcord.SessionID]string{}
	}
	if n.of[id] == string(text) && n.app.HasEditor(id) {
		return
	}
	maps.DeleteFunc(n.of, func(id bellcord.SessionID, _ string) bool { return !n.app.HasEditor(id) })
	n.of[id] = string(text)
	n.app.OpenEditor(id, tools, servers)
}
