package app

import (
	"context"
	"encoding/json"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/acp"
)

// AgentOptions returns the settings of a session's hosted agent that have a
// fixed set of values. It returns none if the agent has no process for the
// session, or no settings.
func (a *App) AgentOptions(s bellcord.Session) []api.AgentOption {
	if s.Agent == "" {
		return nil
	}
	agent, err := a.agents.named(s.Agent)
	if err != nil {
		return nil
	}
	settings := agent.SettingsOf(s.ID)
	options := optionsIn(settings.Reply)
	for _, update := range settings.Updates {
		if later := optionsIn(update); later != nil {
			options = later
		}
	}
	return options
}

// SetAgentOption changes a setting of a session's hosted agent and returns all
// settings. The agent gets the setting again whenever it is restarted.
func (a *App) SetAgentOption(ctx context.Context, s bellcord.Session, option, value string) ([]api.AgentOption, error) {
	agent, err := a.agents.named(s.Agent)
	if err != nil {
		return nil, err
	}
	params := acp.Encode(acp.SetSessionConfigOptionRequest{SessionID: string(s.ID), ConfigID: option, Value: value})
	reply, err := agent.Request(ctx, s.ID, s.Dir, acp.MethodSetConfigOption, params)
	if err != nil {
		return nil, err
	}
	if options := optionsIn(reply); options != nil {
		return options, nil
	}
	return a.AgentOptions(s), nil
}

// agentOption is an option of an agent. Its choices may be in groups.
type agentOption struct {
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Category     string          `json:"category"`
	Type         string          `json:"type"`
	CurrentValue json.RawMessage `json:"currentValue"`
	Options      []struct {
		api.AgentChoice
		Options []api.AgentChoice `json:"options"`
	} `json:"options"`
}

// optionsIn returns the options in a message of an agent, or nil if it has
// none. Options without a fixed set of values are omitted.
func optionsIn(message json.RawMessage) []api.AgentOption {
	var body struct {
		ConfigOptions []agentOption `json:"configOptions"`
	}
	if json.Unmarshal(message, &body) != nil || body.ConfigOptions == nil {
		return nil
	}
	all := []api.AgentOption{}
	for _, from := range body.ConfigOptions {
		option := api.AgentOption{ID: from.ID, Name: from.Name, Category: from.Category}
		if from.Type != "select" || json.Unmarshal(from.CurrentValue, &option.Value) != nil {
			continue
		}
		for _, choice := range from.Options {
			if choice.Value != "" {
				option.Choices = append(option.Choices, choice.AgentChoice)
			}
			option.Choices = append(option.Choices, choice.Options...)
		}
		if len(option.Choices) > 0 {
			all = append(all, option)
		}
	}
	return all
}
