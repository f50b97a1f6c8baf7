package backend

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/front/chat"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/front/slash"
)

// remoteChat implements chat.Hub for a server.
type remoteChat struct {
	chatFiles
	at  Remote
	dir string
}

func (c remoteChat) Prompt(ctx context.Context, session bellcord.SessionID, p chat.Prompt) error {
	if p.Task == bellcord.TaskImport {
		return fmt.Errorf("/%s is not available over HTTP: use it in a chat without a server, or in an editor", p.Task)
	}
	_, err := c.at.Client.Prompt(ctx, session, api.NewTurn{ID: string(p.Turn), Text: sentText(p.Task, p.Text), Task: string(p.Task), Images: p.Images, Files: p.Files, Links: p.Links})
	return err
}

// sentText returns the text of a prompt as the API expects it for its task.
func sentText(task bellcord.Task, text string) string {
	switch task {
	case bellcord.TaskCompact:
		return api.CompactText(text)
	case bellcord.TaskCommand:
		return text
	case bellcord.TaskAnswer, bellcord.TaskImport, bellcord.TaskUnprompted:
	}
	return slash.Escape(text) // the chat has already handled its commands; a leading slash is text
}

func (c remoteChat) Stop(ctx context.Context, s chat.Stop) error {
	_, err := c.at.Stop(ctx, s.Turn, s.Session, apiStop(s))
	return err
}

// Answer answers a question. An answer that is too late is not an error: the
// log contains the outcome.
func (c remoteChat) Answer(ctx context.Context, turn bellcord.TurnID, question string, r bellcord.Reply) error {
	err := c.at.Client.Answer(ctx, turn, question, r)
	if refused(err, http.StatusNotFound, http.StatusConflict) {
		return nil
	}
	return err
}

func (c remoteChat) Edit(ctx context.Context, turn bellcord.TurnID, text string) error {
	t, err := c.at.Client.Turn(ctx, turn, 0)
	if err != nil {
		return err
	}
	return c.at.Client.Edit(ctx, turn, sentText(t.Task, text))
}

func (c remoteChat) MoveToFront(ctx context.Context, turn bellcord.TurnID) error {
	return c.at.Client.MoveToFront(ctx, turn)
}

func (c remoteChat) Clear(ctx context.Context, session bellcord.SessionID) error {
	return c.at.Client.Clear(ctx, session)
}

// Files implements chat.Hub. The files are on the server, which has no list of them.
func (remoteChat) Files(context.Context, string, string, int) (found []string, all int, err error) {
	return nil, 0, nil
}

func (c remoteChat) Rename(ctx context.Context, session bellcord.SessionID, title string) error {
	return c.at.Rename(ctx, session, title)
}

func (c remoteChat) Delete(ctx context.Context, session bellcord.SessionID) error {
	return c.at.Remove(ctx, session, false)
}

func (c remoteChat) Change(ctx context.Context, session bellcord.SessionID, to bellcord.SessionUpdated) (bellcord.Session, error) {
	return c.at.Client.Change(ctx, session, api.SessionChange{Model: to.Model, Mode: to.Mode})
}

func (c remoteChat) NewSession(ctx context.Context, like bellcord.Session) (bellcord.Session, error) {
	return c.at.Client.NewSession(ctx, api.NewSession{Dir: c.dir, Agent: like.Agent, Model: like.Model, Mode: like.Mode})
}

// Check implements chat.Hub with the server's lists of agents and models.
func (c remoteChat) Check(ctx context.Context, like bellcord.Session) error {
	if like.Agent != "" {
		if agents, err := c.Agents(ctx); err != nil {
			return err
		} else if !slices.Contains(agents, like.Agent) {
			return app.UnknownName("agent", like.Agent, agents)
		}
	}
	if like.Agent != "" || like.Model == "" {
		return nil
	}
	models, err := c.Models(ctx)
	if err != nil {
		return err
	}
	provider, _, _ := strings.Cut(like.Model, "/")
	if !slices.ContainsFunc(models, func(m string) bool { return strings.HasPrefix(m, provider+"/") }) {
		return app.UnknownName("model", like.Model, models)
	}
	return nil
}

// Find implements chat.Hub.
func (c remoteChat) Find(ctx context.Context, word string) (bellcord.Session, error) {
	id, err := FindSession(ctx, c.at, word)
	if err != nil {
		return bellcord.Session{}, err
	}
	return c.at.Session(ctx, id)
}

func (c remoteChat) Spent(ctx context.Context, session bellcord.SessionID) ([]bellcord.ModelUsage, error) {
	used, err := c.at.Client.Usage(ctx, session)
	return used.Models, err
}

func (c remoteChat) Models(ctx context.Context) ([]string, error) {
	all, err := c.at.Client.Models(ctx)
	var names []string
	for _, m := range all.Models {
		names = append(names, m.ID)
	}
	return names, err
}

func (c remoteChat) Agents(ctx context.Context) ([]string, error) {
	all, err := c.at.Client.Agents(ctx)
	var names []string
	for _, a := range all.Agents {
		if a.Name != "" && a.Installed {
			names = append(names, a.Name)
		}
	}
	return names, err
}

func (c remoteChat) Events(ctx context.Context, id bellcord.SessionID, lost func(error)) (line.Source, func(), error) {
	return c.at.Events(ctx, id, 0, lost)
}
