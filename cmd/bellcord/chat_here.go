package main

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/api"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/chat"
	"github.com/bellcord/bellcord/internal/front/line"
)

// chatHere are turns that this process runs.
type chatHere struct {
	shared
	config config.Config
	dir    string
}

func (c chatHere) Prompt(ctx context.Context, session bellcord.SessionID, turn bellcord.TurnID, text string) error {
	p := limits(c.config)
	p.Turn, p.Text = turn, text
	_, err := c.front().Accept(ctx, session, p)
	return err
}

// Stop returns once the stop is on record: the receipt comes with the turn's end.
func (c chatHere) Stop(ctx context.Context, s chat.Stop) error {
	_, err := c.stop(ctx, s.Turn, s.Session, apiStop(s))
	return err
}

// apiStop is a stop as places take it.
func apiStop(s chat.Stop) api.Stop {
	return api.Stop{Mode: string(s.Mode), Queue: string(s.Queue), Wait: "1s"}
}

func (c chatHere) Answer(_ context.Context, turn bellcord.TurnID, question, choice string) error {
	return c.front().Answer(turn, question, choice, whoAmI())
}

func (c chatHere) Edit(_ context.Context, turn bellcord.TurnID, text string) error {
	return c.front().Edit(turn, text)
}

func (c chatHere) Send(_ context.Context, turn bellcord.TurnID) error { return c.front().Send(turn) }

func (c chatHere) Clear(ctx context.Context, session bellcord.SessionID) error {
	if _, err := c.front().OpenSession(ctx, session); err != nil {
		return err
	}
	_, err := c.front().Clear(session, bellcord.Cause{Kind: bellcord.Person, By: whoAmI(), From: c.from, Why: "/clear"})
	return err
}

func (c chatHere) Change(ctx context.Context, session bellcord.SessionID, to bellcord.Configured) (bellcord.Session, error) {
	found, err := c.front().OpenSession(ctx, session)
	if err == nil {
		err = c.check(found.Agent, to.Model, to.Mode)
	}
	if err != nil {
		return bellcord.Session{}, err
	}
	return c.front().Configure(session, to)
}

func (c chatHere) NewSession(ctx context.Context, like bellcord.Session) (bellcord.Session, error) {
	made := bellcord.Session{Dir: c.dir, Agent: c.config.Agent, Model: modelOf(c.config), Mode: c.config.Mode}
	if like.Agent != "" {
		made.Agent, made.Model = like.Agent, ""
	}
	if like.Model != "" {
		made.Model = like.Model
	}
	if like.Mode != "" {
		made.Mode = like.Mode
	}
	if err := c.check(made.Agent, made.Model, made.Mode); err != nil {
		return made, err
	}
	return c.front().NewSession(ctx, made)
}

// check says what is wrong with settings; one that is empty is not meant.
func (c chatHere) check(agent, model, mode string) error {
	if agent != "" {
		if _, err := definition(c.config, agent); err != nil {
			return err
		}
	}
	if agent == "" && model != "" {
		if err := c.models.check(model); err != nil {
			return err
		}
	}
	asked := c.config
	if mode != "" {
		asked.Mode = mode
	}
	return asked.Check()
}

func (c chatHere) Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	return c.front().Session(ctx, id)
}

func (c chatHere) Sessions(ctx context.Context) ([]bellcord.Session, error) {
	return c.front().Sessions(ctx, bellcord.SessionQuery{})
}

func (c chatHere) Spent(ctx context.Context, session bellcord.SessionID) ([]bellcord.Spent, error) {
	all, err := c.front().Spending(ctx, bellcord.SpendingQuery{Session: session})
	return byModel(all), err
}

// byModel adds up, in the order of the store: that of the turns.
func byModel(all []bellcord.Spending) []bellcord.Spent {
	var sums []bellcord.Spent
	place := map[string]int{}
	for _, one := range all {
		i, known := place[one.Model]
		if !known {
			place[one.Model] = len(sums)
			sums = append(sums, one.Spent)
			continue
		}
		sums[i].Usage = sums[i].Add(one.Usage)
	}
	return sums
}

func (c chatHere) Models(context.Context) ([]string, error) {
	return append([]string{c.config.Model}, c.config.Models...), nil
}

func (c chatHere) Agents(context.Context) ([]string, error) { return agentNames(c.config), nil }

func (c chatHere) Events(ctx context.Context, id bellcord.SessionID, lost func(error)) (line.Source, func(), error) {
	return c.events(ctx, id, 0, lost)
}
