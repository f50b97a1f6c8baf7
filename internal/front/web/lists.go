package web

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

func (s *Server) listRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/v1/models", "list-models", "List the models that sessions can use", bellcord.ScopeRead),
		func(context.Context, *struct{}) (*struct{ Body api.Models }, error) {
			return &struct{ Body api.Models }{api.Models{Models: append([]api.Model{}, s.Models()...)}}, nil
		})
	huma.Register(s.api, route(http.MethodGet, "/v1/agents", "list-agents", "List the agents that sessions can use", bellcord.ScopeRead),
		func(context.Context, *struct{}) (*struct{ Body api.Agents }, error) {
			return &struct{ Body api.Agents }{api.Agents{Agents: append([]api.Agent{}, s.Agents()...)}}, nil
		})
	huma.Register(s.api, route(http.MethodGet, "/v1/nodes", "list-nodes", "List the nodes that share the store, with their leases, turns and response times", bellcord.ScopeAdmin),
		func(ctx context.Context, _ *struct{}) (*struct{ Body api.Nodes }, error) {
			found, err := s.Nodes(ctx)
			return &struct{ Body api.Nodes }{api.Nodes{Nodes: append([]api.Node{}, found...)}}, s.fail(err)
		})
	huma.Register(s.api, route(http.MethodGet, "/v1/usage", "get-usage", "Get the usage of your ended turns, by model", bellcord.ScopeRead), s.usage)
}

func (s *Server) usage(ctx context.Context, in *struct {
	Session string    `query:"session" doc:"only turns of this session"`
	Since   time.Time `query:"since" doc:"only turns that ended since this time (RFC 3339)"`
},
) (*struct{ Body api.Usage }, error) {
	query := store.SpendingQuery{Owner: caller(ctx).Reach(), Since: in.Since}
	if in.Session != "" {
		found, err := s.session(ctx, in.Session)
		if err != nil {
			return nil, s.fail(err)
		}
		query.Session = found.ID
	}
	sum, err := s.Hub.SumUsage(ctx, query)
	if err != nil {
		return nil, s.fail(err)
	}
	return &struct{ Body api.Usage }{api.Usage{Turns: sum.Turns, Models: append([]bellcord.ModelUsage{}, sum.Models...)}}, nil
}
