package chats

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/visible"
	"github.com/bellcord/bellcord/store"
)

// offerConversations offers the owner's sessions.
func (c *chat) offerConversations(ctx context.Context) (string, [][]Button) {
	const most = 8
	found, err := c.front.Hub.Sessions(ctx, store.SessionQuery{Owner: c.owner, Limit: most})
	if err != nil {
		return c.apology(err.Error()), nil
	}
	if len(found) == 0 {
		return "There are no sessions yet.", nil
	}
	var rows [][]Button
	for _, s := range found {
		title := titleOf(s)
		if c.has(s.ID) {
			title = "● " + title
		}
		rows = append(rows, []Button{{Text: title + " · " + ago(s.Updated), Data: "o:" + string(s.ID)}})
	}
	return "Choose a session:", distinct(rows)
}

// titleOf returns a session's title for users.
func titleOf(s bellcord.Session) string { return cmp.Or(visible.Text(s.Title), "(no messages yet)") }

func ago(t time.Time) string {
	if d := time.Since(t); d >= time.Minute {
		return span(d) + " ago"
	}
	return "just now"
}

// goTo switches the chat to another session of its owner. A turn that runs in
// the previous session continues and is shown.
func (c *chat) goTo(ctx context.Context, id bellcord.SessionID) string {
	found, err := c.front.Hub.Session(ctx, id)
	switch {
	case errors.Is(err, bellcord.ErrNoSession), err == nil && found.Owner != c.owner:
		return "That session no longer exists."
	case err != nil:
		return c.apology(err.Error())
	}
	c.become(id)
	c.sendText("Switched to: " + titleOf(found))
	return ""
}

func (c *chat) agents() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return "Agent: " + named(c.choice.Agent) + "\n\nChoosing another agent starts a new session."
}

// chooseAgent sets the agent; the next message starts a new session. It stops
// nothing: a running turn continues and is shown.
func (c *chat) chooseAgent(_ context.Context, name string) string {
	if name == "bellcord" {
		name = ""
	}
	if name != "" {
		if err := c.front.CheckAgent(name); err != nil {
			return "There is no agent called " + name + ". Send /agent to see them all."
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.choice.Agent, c.session = name, ""
	c.note()
	c.sendText("Agent: " + named(name) + ". Your next message starts a new session with it.")
	return ""
}

func (c *chat) models(ctx context.Context) string {
	c.mu.Lock()
	id, name := c.session, c.choice.Model
	c.mu.Unlock()
	if found, err := c.front.Hub.Session(ctx, id); err == nil && found.Model != "" {
		name = found.Model
	}
	if name == "" {
		name = "the agent's default"
	}
	return "Model: " + name
}

// chooseModel sets the model, starting with the next turn.
func (c *chat) chooseModel(ctx context.Context, name string) string {
	if err := c.front.CheckModel(name); err != nil {
		return "There is no model called " + name + ". Send /model to see them all."
	}
	c.mu.Lock()
	c.choice.Model = name
	id := c.session
	c.note()
	c.mu.Unlock()
	if id != "" {
		_, err := c.front.Hub.OpenSession(ctx, id)
		if err == nil {
			_, err = c.front.Hub.Configure(id, bellcord.SessionUpdated{Model: name})
		}
		if err != nil {
			return c.apology(err.Error())
		}
	}
	c.sendText("Model: " + name + ", from your next message on.")
	return ""
}
