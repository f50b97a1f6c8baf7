package web_test

import (
	"context"
	"errors"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// knobs plays a hosted agent with a model and a permission mode.
type knobs struct{ running bool }

func (k *knobs) AgentOptions(bellcord.Session) []api.AgentOption {
	if !k.running {
		return nil
	}
	return []api.AgentOption{
		{ID: "model", Name: "Model", Category: "model", Value: "small", Choices: []api.AgentChoice{{Value: "small", Name: "Small"}, {Value: "large", Name: "Large"}}},
		{ID: "mode", Name: "Mode", Category: "mode", Value: "careful", Choices: []api.AgentChoice{{Value: "careful", Name: "Careful"}, {Value: "yolo", Name: "Yolo"}}},
	}
}

func (k *knobs) SetAgentOption(_ context.Context, s bellcord.Session, option, value string) ([]api.AgentOption, error) {
	if value == "large" && s.Title == "refuses" {
		return nil, errors.New("large is sold out")
	}
	all := k.AgentOptions(s)
	for i := range all {
		if all[i].ID == option {
			all[i].Value = value
		}
	}
	return all, nil
}

func TestOptions_HostedAgent_ArePassedOnWithinTheCeiling(t *testing.T) {
	t.Parallel()
	agent := &knobs{}
	s := newStage(t, func(with *setup) {
		with.AgentOptions = agent
		with.Session.Agent = "goose"
		with.CheckAgent = func(string) error { return nil }
		with.Ceiling = func(mode, agent string) error {
			if mode == "full" || agent != "goose" {
				return errors.New("above max_mode")
			}
			return nil
		}
	})
	path, _ := s.session("anna")
	var all api.AgentOptions
	s.roundTrip("anna", "GET", path+"/options", nil).is(200).into(&all)
	if len(all.Options) != 0 {
		t.Errorf("an idle agent has %+v", all)
	}
	s.roundTrip("anna", "PATCH", path+"/options/model", api.OptionChange{Value: "large"}).isA(409, "agent-not-running")
	agent.running = true
	s.roundTrip("anna", "PATCH", path+"/options/model", api.OptionChange{Value: "large"}).is(200).into(&all)
	if len(all.Options) != 2 || all.Options[0].Value != "large" {
		t.Errorf("after the change: %+v", all)
	}
	s.roundTrip("anna", "PATCH", path+"/options/model", api.OptionChange{Value: "huge"}).isA(422, "bad-input")
	s.roundTrip("anna", "PATCH", path+"/options/none", api.OptionChange{Value: "x"}).isA(404, "option-not-found")
	s.roundTrip("anna", "PATCH", path+"/options/mode", api.OptionChange{Value: "yolo"}).isA(403, "scope")
	s.roundTrip("admin", "PATCH", path+"/options/mode", api.OptionChange{Value: "yolo"}).is(200)
	s.roundTrip("reader", "PATCH", path+"/options/model", api.OptionChange{Value: "small"}).isA(403, "scope")
	s.roundTrip("anna", "PATCH", path, api.SessionChange{Title: "refuses"}).is(200)
	s.roundTrip("anna", "PATCH", path+"/options/model", api.OptionChange{Value: "large"}).isA(502, "agent-refused")
}

func TestChangeSession_AnotherAgent_IsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	goose, own := "goose", ""
	s.roundTrip("anna", "PATCH", path, api.SessionChange{Agent: &goose, Title: "New"}).isA(409, "agent-fixed")
	var kept bellcord.Session
	s.roundTrip("anna", "PATCH", path, api.SessionChange{Agent: &own, Title: "Same"}).is(200).into(&kept)
	if kept.Agent != "" || kept.Title != "Same" {
		t.Errorf("%+v", kept)
	}
}
