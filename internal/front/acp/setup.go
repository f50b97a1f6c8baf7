package acp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// The authentication methods of Bellcord configure a model; there is no login, and so no
// logout. The client runs the second one in a terminal.
const (
	setupMethod    = "setup"
	terminalMethod = "setup-terminal"
)

// authMethods returns the methods that a client can use.
func (s *Server) authMethods(can acp.ClientCapabilities) []acp.AuthMethod {
	methods := []acp.AuthMethod{{
		ID: setupMethod, Name: "Set up a model",
		Description: "Creates a configuration from what is available: a provider's API key in the environment, a model server on this machine, or the built-in model, which needs no key.",
	}}
	c := s.config.Load()
	older := can.Meta[olderTerminalAuth] == true
	if len(c.SetUpArgs) > 0 && (can.Auth.Terminal || older) {
		methods = append(methods, terminalSetUp(c, older))
	}
	return methods
}

// olderTerminalAuth is the member of _meta in which clients announced logins in
// a terminal, and agents sent their commands, before both were in the schema.
const olderTerminalAuth = "terminal-auth"

// terminalSetUp returns the method that starts the command with more arguments
// in a terminal. An older client needs the whole command.
func terminalSetUp(c *Config, older bool) acp.AuthMethod {
	method := acp.AuthMethod{
		Type: acp.TerminalAuth, ID: terminalMethod, Name: "Enter an API key", Args: c.SetUpArgs,
		Description: "Asks for the API key of a provider in a terminal, checks it, and creates a configuration with it.",
	}
	if older && len(c.Command) > 0 {
		method.Meta = acp.Meta{olderTerminalAuth: map[string]any{
			"command": c.Command[0], "args": slices.Concat(c.Command[1:], c.SetUpArgs), "label": method.Name,
		}}
	}
	return method
}

// authenticate configures a model if none is configured. The methods of a hosted
// agent are the agent's, so it receives the request.
func (s *Server) authenticate(ctx context.Context, params json.RawMessage) answer {
	if c := s.config.Load(); c.Hosted != nil && c.SetUp == nil && c.Network == nil {
		return s.logIn(ctx, c.Hosted, params)
	}
	p, err := decode[acp.AuthenticateRequest](params)
	if err != nil {
		return failure(err)
	}
	if p.MethodID != setupMethod {
		return failure(invalid("unknown authentication method: " + p.MethodID))
	}
	s.setup.Lock()
	defer s.setup.Unlock()
	if now := s.config.Load(); now.SetUp != nil {
		ready, err := now.SetUp(ctx)
		if err != nil {
			return failure(&jsonrpc.Error{Code: int(acp.AuthRequired), Message: err.Error()})
		}
		s.config.Store(&ready)
	}
	return answer{result: struct{}{}}
}

// logIn passes a login on to the hosted agent.
func (s *Server) logIn(ctx context.Context, agent Hosted, params json.RawMessage) answer {
	reply, err := agent.Request(ctx, "", acp.MethodAuthenticate, params)
	switch {
	case err != nil:
		return failure(passError(err))
	case len(reply) == 0 || string(reply) == "null": // some agents send no object
		return answer{result: struct{}{}}
	}
	return answer{result: reply}
}

// ready returns the hub, or an AuthRequired error if no model is configured.
func (s *Server) ready() (*hub.Hub, error) {
	if s.config.Load().SetUp != nil {
		return nil, &jsonrpc.Error{Code: int(acp.AuthRequired), Message: `no model is configured: authenticate with the method "setup", or run "bellcord init" in a terminal and restart the agent`}
	}
	return s.hub()
}
