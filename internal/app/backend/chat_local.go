package backend

import (
	"context"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/chat"
	"github.com/bellcord/bellcord/internal/front/line"
)

// Chat returns a backend as a hub for the terminal chat. New sessions use dir.
func Chat(at Backend, c config.Config, dir string) (chat.Hub, error) {
	switch at := at.(type) {
	case Remote:
		return remoteChat{at, dir}, nil
	case Local:
		return localChat{at, c, dir}, nil
	}
	return nil, fmt.Errorf("no chat for a %T", at)
}

// localChat implements chat.Hub for turns that run in this process.
type localChat struct {
	at       Local
	settings config.Config
	dir      string
}

func (c localChat) Prompt(ctx context.Context, session bellcord.SessionID, asked chat.Prompt) error {
	p := app.PromptLimits(c.settings)
	p.Turn, p.Task, p.Text = asked.Turn, asked.Task, asked.Text
	_, err := c.at.App.Front().Accept(ctx, session, p)
	return err
}

// Stop waits at most one second for the turns to end. The receipt is in the
// events.
func (c localChat) Stop(ctx context.Context, s chat.Stop) error {
	_, err := c.at.Stop(ctx, s.Turn, s.Session, apiStop(s))
	return err
}

// apiStop converts a stop of the chat.
func apiStop(s chat.Stop) api.Stop {
	return api.Stop{Mode: string(s.Mode), Queue: string(s.Queue), Wait: "1s"}
}

func (c localChat) Answer(_ context.Context, turn bellcord.TurnID, question, choice string) error {
	return c.at.App.Front().Answer(turn, question, choice, currentUser())
}

func (c localChat) Edit(_ context.Context, turn bellcord.TurnID, text string) error {
	return c.at.App.Front().Edit(turn, text)
}

func (c localChat) Send(_ context.Context, turn bellcord.TurnID) error {
	return c.at.App.Front().Send(turn)
}

func (c localChat) Clear(ctx context.Context, session bellcord.SessionID) error {
	if _, err := c.at.App.Front().OpenSession(ctx, session); err != nil {
		return err
	}
	_, err := c.at.App.Front().Clear(session, bellcord.Cause{Kind: bellcord.CausePerson, By: currentUser(), Source: c.at.Source, Reason: "/clear"})
	return err
}

func (c localChat) Change(ctx context.Context, session bellcord.SessionID, to bellcord.SessionUpdated) (bellcord.Session, error) {
	found, err := c.at.App.Front().OpenSession(ctx, session)
	if err == nil {
		err = c.checkSettings(found.Agent, to.Model, to.Mode)
	}
	if err != nil {
		return bellcord.Session{}, err
	}
	return c.at.App.Front().Configure(session, to)
}

func (c localChat) NewSession(ctx context.Context, like bellcord.Session) (bellcord.Session, error) {
	made := bellcord.Session{Owner: app.MachineOwner, Dir: c.dir, Agent: c.settings.Agent, Model: app.DefaultModel(c.settings), Mode: c.settings.Mode}
	if like.Agent != "" {
		made.Agent, made.Model = like.Agent, ""
	}
	if like.Model != "" {
		made.Model = like.Model
	}
	if like.Mode != "" {
		made.Mode = like.Mode
	}
	if err := c.checkSettings(made.Agent, made.Model, made.Mode); err != nil {
		return made, err
	}
	return c.at.App.Front().NewSession(ctx, made)
}

// checkSettings returns an error for invalid settings of a session. Empty
// settings are ignored.
func (c localChat) checkSettings(agent, model, mode string) error {
	if agent != "" {
		if _, err := app.AgentDefinition(c.settings, agent); err != nil {
			return err
		}
	}
	if agent == "" && model != "" {
		if err := c.at.App.Models.Check(model); err != nil {
			return err
		}
	}
	asked := c.settings
	if mode != "" {
		asked.Mode = mode
	}
	return asked.Check()
}

// Check implements chat.Hub.
func (c localChat) Check(_ context.Context, like bellcord.Session) error {
	return c.checkSettings(like.Agent, like.Model, like.Mode)
}

// Find implements chat.Hub.
func (c localChat) Find(ctx context.Context, word string) (bellcord.Session, error) {
	id, err := FindSession(ctx, c.at, word)
	if err != nil {
		return bellcord.Session{}, err
	}
	return c.at.App.Front().Session(ctx, id)
}

func (c localChat) Sessions(ctx context.Context) ([]bellcord.Session, error) {
	return c.at.App.Front().Sessions(ctx, bellcord.SessionQuery{})
}

func (c localChat) Spent(ctx context.Context, session bellcord.SessionID) ([]bellcord.ModelUsage, error) {
	all, err := c.at.App.Front().Spending(ctx, bellcord.SpendingQuery{Session: session})
	return byModel(all), err
}

// byModel sums up usage by model, in the order of the first use.
func byModel(all []bellcord.Spending) []bellcord.ModelUsage {
	var sums []bellcord.ModelUsage
	place := map[string]int{}
	for _, one := range all {
		i, known := place[one.Model]
		if !known {
			place[one.Model] = len(sums)
			sums = append(sums, one.ModelUsage)
			continue
		}
		sums[i].Usage = sums[i].Add(one.Usage)
	}
	return sums
}

func (c localChat) Models(context.Context) ([]string, error) {
	return app.ModelNames(c.settings), nil
}

func (c localChat) Agents(context.Context) ([]string, error) { return app.AgentNames(c.settings), nil }

func (c localChat) Events(ctx context.Context, id bellcord.SessionID, lost func(error)) (line.Source, func(), error) {
	return c.at.Events(ctx, id, 0, lost)
}
