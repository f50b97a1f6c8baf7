package web

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// lists has the operations for what the server offers: models, agents and nodes.
type lists struct {
	models func() []api.Model
	agents func() []api.Agent
	nodes  func(context.Context) ([]api.Node, error)
}

func (l *lists) register(o *operations) {
	add(o, route("GET /v1/models", "list-models", bellcord.ScopeRead, "List the models that sessions can use"),
		func(context.Context, *struct{}) (api.Models, error) {
			return api.Models{Models: append([]api.Model{}, l.models()...)}, nil
		})
	add(o, route("GET /v1/agents", "list-agents", bellcord.ScopeRead, "List the agents that sessions can use"),
		func(context.Context, *struct{}) (api.Agents, error) {
			return api.Agents{Agents: append([]api.Agent{}, l.agents()...)}, nil
		})
	add(o, route("GET /v1/nodes", "list-nodes", bellcord.ScopeAdmin,
		"List the nodes that share the store, with their leases, turns and response times"),
		func(ctx context.Context, _ *struct{}) (api.Nodes, error) {
			found, err := l.nodes(ctx)
			return api.Nodes{Nodes: append([]api.Node{}, found...)}, err
		})
}
