package chats

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord"
)

// acceptPrompt queues a message for the agent. The prompt can be stopped from now on.
func (c *chat) acceptPrompt(s incoming, policy bellcord.BusyPolicy) {
	if s.text == "" && len(s.files) == 0 {
		c.front.Handled(s.handled)
		return
	}
	id := s.turn
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = append(c.pending, id)
	c.own[id] = true
	c.enqueue(func(ctx context.Context) { c.accept(ctx, id, s, policy) })
}

// accept passes a prompt to the hub. If the server is shutting down, the message
// stays unhandled and the next process accepts it.
func (c *chat) accept(ctx context.Context, id bellcord.TurnID, s incoming, policy bellcord.BusyPolicy) {
	err := c.tryAccept(ctx, id, s, policy)
	switch {
	case errors.Is(err, bellcord.ErrDraining), errors.Is(err, bellcord.ErrClosed), ctx.Err() != nil:
		c.accepted(id, false)
		return
	case errors.Is(err, bellcord.ErrTurnExists): // delivered again after a crash
		err = nil
	}
	c.accepted(id, err == nil)
	if err != nil {
		c.front.Logger.Error("prompt failed", "platform", c.front.Platform, "chat", c.place.Chat, "turn", id, "err", err)
		c.sendText(c.regret(err))
	}
	c.front.Handled(s.handled)
}

// editPrompt changes the text of a prompt, after the prompts before it have been
// accepted. If the agent has begun, the text stays as it is.
func (c *chat) editPrompt(handled func(), id bellcord.TurnID, text string) {
	c.stir()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enqueue(func(context.Context) {
		switch err := c.front.Hub.Edit(id, text); {
		case errors.Is(err, bellcord.ErrStarted):
			c.sendText("I have begun to answer the message as it was. To change it, stop me and send it again.")
		case err != nil && !errors.Is(err, bellcord.ErrNoTurn): // an ended turn is not known any more
			c.front.Logger.Error("edit of a prompt failed", "platform", c.front.Platform, "chat", c.place.Chat, "turn", id, "err", err)
			c.sendText(c.apology(err.Error()))
		}
		c.front.Handled(handled)
	})
}

func (c *chat) tryAccept(ctx context.Context, id bellcord.TurnID, s incoming, policy bellcord.BusyPolicy) error {
	session, err := c.open(ctx)
	if err != nil {
		return err
	}
	p := c.front.Prompt
	p.Turn, p.Text, p.WhenBusy = id, s.text, policy
	if err := c.attach(ctx, session, &p, s.files); err != nil {
		return err
	}
	if err := c.follow(ctx, session.ID); err != nil {
		return err
	}
	_, err = c.front.Hub.Accept(ctx, session.ID, p)
	return err
}

// open returns the chat's session and creates one if needed.
func (c *chat) open(ctx context.Context) (bellcord.Session, error) {
	c.mu.Lock()
	id, chosen := c.session, c.choice
	c.mu.Unlock()
	if id != "" {
		found, err := c.front.Hub.OpenSession(ctx, id)
		if !errors.Is(err, bellcord.ErrNoSession) {
			return found, err
		}
	}
	made := c.front.Session
	made.ID, made.Owner, made.Agent, made.Model = bellcord.NewSessionID(), c.owner, chosen.Agent, chosen.Model
	if made.Dir == "" {
		made.Dir = filepath.Join(c.front.Workspaces, string(made.ID))
		if err := os.MkdirAll(made.Dir, 0o700); err != nil {
			return made, err
		}
	}
	made, err := c.front.Hub.NewSession(ctx, made)
	if err == nil {
		c.become(made.ID)
	}
	return made, err
}

// become sets the chat's session.
func (c *chat) become(id bellcord.SessionID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = id
	c.note()
}
