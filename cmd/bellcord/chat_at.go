package main

import (
	"context"
	"net/http"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/api"
	"github.com/bellcord/bellcord/internal/front/chat"
	"github.com/bellcord/bellcord/internal/front/line"
)

// chatAt are turns of a server.
type chatAt struct {
	at  served
	dir string
}

func (c chatAt) Prompt(ctx context.Context, session bellcord.SessionID, turn bellcord.TurnID, text string) error {
	_, err := c.at.Prompt(ctx, session, api.NewTurn{ID: string(turn), Text: text})
	return err
}

func (c chatAt) Stop(ctx context.Context, s chat.Stop) error {
	_, err := c.at.stop(ctx, s.Turn, s.Session, apiStop(s))
	return err
}

// Answer gives the choice; too late is no error: the log tells what became of the
// question.
func (c chatAt) Answer(ctx context.Context, turn bellcord.TurnID, question, choice string) error {
	err := c.at.Answer(ctx, turn, question, choice)
	if refusedWith(err, http.StatusNotFound, http.StatusConflict) {
		return nil
	}
	return err
}

func (c chatAt) Edit(ctx context.Context, turn bellcord.TurnID, text string) error {
	return c.at.Edit(ctx, turn, text)
}

func (c chatAt) Send(ctx context.Context, turn bellcord.TurnID) error { return c.at.Send(ctx, turn) }

func (c chatAt) Clear(ctx context.Context, session bellcord.SessionID) error {
	return c.at.Clear(ctx, session)
}

func (c chatAt) Change(ctx context.Context, session bellcord.SessionID, to bellcord.Configured) (bellcord.Session, error) {
	return c.at.Change(ctx, session, api.SessionChange{Model: to.Model, Mode: to.Mode})
}

func (c chatAt) NewSession(ctx context.Context, like bellcord.Session) (bellcord.Session, error) {
	return c.at.NewSession(ctx, api.NewSession{Dir: c.dir, Agent: like.Agent, Model: like.Model, Mode: like.Mode})
}

func (c chatAt) Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	return c.at.session(ctx, id)
}

func (c chatAt) Sessions(ctx context.Context) ([]bellcord.Session, error) {
	first, _, err := c.at.sessions(ctx, "")
	return first, err
}

func (c chatAt) Spent(ctx context.Context, session bellcord.SessionID) ([]bellcord.Spent, error) {
	used, err := c.at.Usage(ctx, session)
	return used.Models, err
}

func (c chatAt) Models(ctx context.Context) ([]string, error) {
	all, err := c.at.Models(ctx)
	var names []string
	for _, m := range all.Models {
		names = append(names, m.ID)
	}
	return names, err
}

func (c chatAt) Agents(ctx context.Context) ([]string, error) {
	all, err := c.at.Agents(ctx)
	var names []string
	for _, a := range all.Agents {
		if a.Name != "" && a.Installed {
			names = append(names, a.Name)
		}
	}
	return names, err
}

func (c chatAt) Events(ctx context.Context, id bellcord.SessionID, lost func(error)) (line.Source, func(), error) {
	return c.at.events(ctx, id, 0, lost)
}
