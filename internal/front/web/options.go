package web

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// AgentOptions reads and changes the settings of hosted agents.
type AgentOptions interface {
	// AgentOptions returns the settings of a session's agent, or none if the
	// agent is not running here or has no settings.
	AgentOptions(s bellcord.Session) []api.AgentOption
	// SetAgentOption changes a setting and returns all settings.
	SetAgentOption(ctx context.Context, s bellcord.Session, option, value string) ([]api.AgentOption, error)
}

var (
	errNoOption  = errors.New("no such option")
	errAgentIdle = errors.New("the agent is not running, so its settings cannot be changed: send a prompt first")
)

// errAgent means that a hosted agent refused a request.
type errAgent struct{ error }

// harmless lists the categories of options that everyone who may send prompts
// can change. Others, such as an agent's own permission mode, can let the agent
// work without questions.
var harmless = []string{"model", "thought_level"}

func (s *Server) optionRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/v1/sessions/{session}/options", "list-options", "List the settings of a session's hosted agent", bellcord.ScopeRead), s.listOptions)
	huma.Register(s.api, route(http.MethodPatch, "/v1/sessions/{session}/options/{option}", "change-option", "Change a setting of a session's hosted agent", bellcord.ScopePrompt), s.changeOption)
}

func (s *Server) options(found bellcord.Session) []api.AgentOption {
	if s.AgentOptions == nil || found.Agent == "" {
		return []api.AgentOption{}
	}
	return append([]api.AgentOption{}, s.AgentOptions.AgentOptions(found)...)
}

func (s *Server) listOptions(ctx context.Context, in *SessionPath) (*struct{ Body api.AgentOptions }, error) {
	found, err := s.session(ctx, in.Session)
	if err != nil {
		return nil, s.fail(err)
	}
	return &struct{ Body api.AgentOptions }{api.AgentOptions{Options: s.options(found)}}, nil
}

func (s *Server) changeOption(ctx context.Context, in *struct {
	SessionPath
	Option string `path:"option" doc:"id of an option"`
	Body   api.OptionChange
},
) (*struct{ Body api.AgentOptions }, error) {
	found, err := s.session(ctx, in.Session)
	if err == nil {
		err = s.checkOption(ctx, found, in.Option, in.Body.Value)
	}
	if err != nil {
		return nil, s.fail(err)
	}
	all, err := s.AgentOptions.SetAgentOption(ctx, found, in.Option, in.Body.Value)
	if err != nil {
		return nil, s.fail(errAgent{err})
	}
	return &struct{ Body api.AgentOptions }{api.AgentOptions{Options: append([]api.AgentOption{}, all...)}}, nil
}

// checkOption refuses a value that the option does not have, and an option that
// only callers with the mode full may change.
func (s *Server) checkOption(ctx context.Context, found bellcord.Session, id, value string) error {
	all := s.options(found)
	at := slices.IndexFunc(all, func(o api.AgentOption) bool { return o.ID == id })
	switch {
	case found.Agent == "":
		return errNoOption
	case len(all) == 0:
		return errAgentIdle
	case at < 0:
		return errNoOption
	case !slices.ContainsFunc(all[at].Choices, func(c api.AgentChoice) bool { return c.Value == value }):
		return badInput("%s: %q is not one of its values", all[at].Name, value)
	case slices.Contains(harmless, all[at].Category):
		return nil
	}
	unlimited := found
	unlimited.Mode, unlimited.Agent = "full", s.Session.Agent // the agent does not change
	return s.ceiling(ctx, unlimited)
}
