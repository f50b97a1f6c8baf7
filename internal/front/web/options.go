package web

import (
	"context"
	"errors"
	"slices"

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

// options has the operations for the settings of hosted agents.
type options struct {
	rules  rules
	agents AgentOptions
}

func (p *options) register(o *operations) {
	add(o, route("GET /v1/sessions/{session}/options", "list-options", bellcord.ScopeRead,
		"List the settings of a session's hosted agent"), lookUp(o.session, p.list))
	add(o, route("PATCH /v1/sessions/{session}/options/{option}", "change-option", bellcord.ScopePrompt,
		"Change a setting of a session's hosted agent"), lookUp(o.session, p.change))
}

func (p *options) of(found bellcord.Session) []api.AgentOption {
	if p.agents == nil || found.Agent == "" {
		return []api.AgentOption{}
	}
	return append([]api.AgentOption{}, p.agents.AgentOptions(found)...)
}

func (p *options) list(_ context.Context, found bellcord.Session, _ *SessionPath) (api.AgentOptions, error) {
	return api.AgentOptions{Options: p.of(found)}, nil
}

func (p *options) change(ctx context.Context, found bellcord.Session, in *struct {
	SessionPath
	Option string `path:"option" doc:"id of an option"`
	Body   api.OptionChange
},
) (api.AgentOptions, error) {
	if err := p.checkOption(ctx, found, in.Option, in.Body.Value); err != nil {
		return api.AgentOptions{}, err
	}
	all, err := p.agents.SetAgentOption(ctx, found, in.Option, in.Body.Value)
	if err != nil {
		return api.AgentOptions{}, errAgent{err}
	}
	return api.AgentOptions{Options: append([]api.AgentOption{}, all...)}, nil
}

// checkOption refuses a value that the option does not have, and an option that
// only callers with the mode full may change.
func (p *options) checkOption(ctx context.Context, found bellcord.Session, id, value string) error {
	all := p.of(found)
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
	return p.rules.mayChoose(ctx, "full", p.rules.agent)
}
