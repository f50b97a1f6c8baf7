package acp

import (
	"context"
	"encoding/json"

	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// setupMethod is the only authentication method. It configures a model; there
// is no login.
const setupMethod = "setup"

func authMethods() []acp.AuthMethodAgent {
	return []acp.AuthMethodAgent{{
		ID: setupMethod, Name: "Set up a model",
		Description: "Creates a configuration from what is available: a provider's API key in the environment, a model server on this machine, or the built-in model, which needs no key.",
	}}
}

// authenticate configures a model if none is configured.
func (s *Server) authenticate(ctx context.Context, params json.RawMessage) answer {
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

// ready returns the hub, or an AuthRequired error if no model is configured.
func (s *Server) ready() (*hub.Hub, error) {
	if s.config.Load().SetUp != nil {
		return nil, &jsonrpc.Error{Code: int(acp.AuthRequired), Message: `no model is configured: authenticate with the method "setup", or run "bellcord init" in a terminal and restart the agent`}
	}
	return s.hub()
}
