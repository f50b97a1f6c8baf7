package backend

import (
	"context"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/filefinder"
	"github.com/bellcord/bellcord/internal/front/chat"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/store"
)

// Chat returns a backend as a hub for the terminal chat. New sessions use dir
// and, if the backend is not a server, the additional directories.
func Chat(at Backend, c config.Config, dir string, additional []string) (chat.Hub, error) {
	switch at := at.(type) {
	case Remote:
		return remoteChat{chatFiles{at}, at, dir}, nil
	case Local:
		return localChat{chatFiles: chatFiles{at}, at: at, settings: c, dir: dir, additional: additional, files: &filefinder.Finder{}, search: newLocalSearch(at.App)}, nil
	}
	return nil, fmt.Errorf("no chat for a %T", at)
}

// Windows returns a function that returns the size of a model's context in tokens,
// 0 if it is unknown. The function does not block.
func Windows(ctx context.Context, at Backend) func(model string) int64 {
	switch at := at.(type) {
	case Local:
		return at.App.Models.ContextWindow
	case Remote:
		sizes := map[string]int64{}
		all, err := at.Client.Models(ctx)
		if err != nil {
			return nil // the chat works without it
		}
		for _, m := range all.Models {
			sizes[m.ID] = m.ContextWindow
		}
		return func(model string) int64 { return sizes[model] }
	}
	return nil
}

// TakesImages returns a function that reports whether a model accepts images. The
// function does not block.
func TakesImages(ctx context.Context, at Backend) func(model string) bool {
	switch at := at.(type) {
	case Local:
		return at.App.Models.TakesImages
	case Remote:
		textOnly := map[string]bool{}
		all, err := at.Client.Models(ctx)
		if err != nil {
			return nil // the chat works without it
		}
		for _, m := range all.Models {
			textOnly[m.ID] = m.TextOnly
		}
		return func(model string) bool { return !textOnly[model] }
	}
	return nil
}

// localChat implements chat.Hub for turns that run in this process.
type localChat struct {
	chatFiles
	at       Local
	settings config.Config
	dir      string
	files    *filefinder.Finder
	search   *localSearch

	additional []string // directories of new sessions
}

// Files implements chat.Hub.
func (c localChat) Files(ctx context.Context, dir, query string, limit int) (found []string, all int, err error) {
	return c.files.Find(ctx, dir, query, limit)
}

func (c localChat) Prompt(ctx context.Context, session bellcord.SessionID, request chat.Prompt) error {
	p := app.PromptLimits(c.settings)
	p.Turn, p.Task, p.Text, p.Images = request.Turn, request.Task, request.Text, request.Images
	p.Files, p.Links, p.Blocks = request.Files, request.Links, request.Blocks
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

func (c localChat) Answer(_ context.Context, turn bellcord.TurnID, question string, r bellcord.Reply) error {
	r.Scopes = []bellcord.Scope{bellcord.ScopeAdmin} // a person at the machine itself
	return c.at.App.Front().Answer(turn, question, r, currentUser())
}

func (c localChat) Edit(_ context.Context, turn bellcord.TurnID, text string) error {
	return c.at.App.Front().Edit(turn, text)
}

func (c localChat) MoveToFront(_ context.Context, turn bellcord.TurnID) error {
	return c.at.App.Front().MoveToFront(turn)
}

func (c localChat) Clear(ctx context.Context, session bellcord.SessionID) error {
	if _, err := c.at.App.Front().OpenSession(ctx, session); err != nil {
		return err
	}
	_, err := c.at.App.Front().Clear(session, bellcord.Cause{Kind: bellcord.CausePerson, By: currentUser(), Source: c.at.Source, Reason: "/clear"})
	return err
}

func (c localChat) Rename(ctx context.Context, session bellcord.SessionID, title string) error {
	return c.at.Rename(ctx, session, title)
}

func (c localChat) Delete(ctx context.Context, session bellcord.SessionID) error {
	return c.at.Remove(ctx, session, false)
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
	made := bellcord.Session{Owner: app.MachineOwner, Dir: c.dir, AdditionalDirs: c.additional, Agent: c.settings.Agent, Model: app.DefaultModel(c.settings), Mode: c.settings.Mode}
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
	settings := c.settings
	if mode != "" {
		settings.Mode = mode
	}
	return settings.Check()
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

func (c localChat) Spent(ctx context.Context, session bellcord.SessionID) ([]bellcord.ModelUsage, error) {
	all, err := c.at.App.Front().Spending(ctx, store.SpendingQuery{Session: session})
	return byModel(all), err
}

// byModel sums up usage by model, in the order of the first use.
func byModel(all []store.Spending) []bellcord.ModelUsage {
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
