package chats

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// clear stops the chat's turn. When the turn has settled, it deletes the turn's
// messages, ends the hosted agent and starts a new conversation. Later messages
// wait for this and belong to the new conversation.
func (c *chat) clear(s incoming) {
	cause := c.cause(s.by, "/clear")
	discarded := c.discardTurns()
	under := c.stopTurns(cause, bellcord.QueueDrop)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enqueue(func(ctx context.Context) {
		c.shown(ctx, settle(ctx, under))
		err := c.clearConversation(ctx, cause)
		c.takeAway(discarded)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			c.front.Logger.Error("clearing a chat failed", "platform", c.front.Platform, "chat", c.place.Chat, "err", err)
			c.sendText(c.apology(err.Error()))
		default:
			c.sendText("🧹 Cleared. Your next message starts a new conversation.")
		}
		c.front.Handled(s.handled)
	})
}

// discardTurns marks the turns of the session, and all prompts not shown yet, as
// cleared. It returns the turns that are shown.
func (c *chat) discardTurns() []*turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	var discarded []*turn
	for _, t := range c.turns {
		if t.session == c.session {
			t.cleared = true
			discarded = append(discarded, t)
			c.front.box.Drop(string(c.place.Chat), t.slot())
		}
	}
	for id := range c.own {
		if c.turns[id] == nil {
			c.cleared[id] = true
		}
	}
	return discarded
}

// clearConversation starts a new conversation in the session and ends its
// agent's process.
func (c *chat) clearConversation(ctx context.Context, cause bellcord.Cause) error {
	c.mu.Lock()
	session := c.session
	c.mu.Unlock()
	if session == "" {
		return nil
	}
	if _, err := c.front.Hub.OpenSession(ctx, session); err != nil {
		return err
	}
	stopping, err := c.front.Hub.Clear(session, cause)
	if err != nil {
		return err
	}
	settle(ctx, []*hub.Stopping{stopping})
	c.front.LetGo(session)
	return nil
}

// takeAway deletes the messages sent for turns. The deletion is queued behind
// all messages on their way to the chat, so it misses none.
func (c *chat) takeAway(discarded []*turn) {
	for _, t := range discarded {
		c.put(func(ctx context.Context) error {
			c.mu.Lock()
			ids := t.ids
			c.mu.Unlock()
			if len(ids) == 0 {
				return nil
			}
			return c.front.Messages.Delete(ctx, c.place, ids)
		})
	}
}

// fresh starts a new session; the previous one is kept.
func (c *chat) fresh(s incoming) {
	under := c.stopTurns(c.cause(s.by, "/new"), bellcord.QueueDrop)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enqueue(func(ctx context.Context) {
		c.shown(ctx, settle(ctx, under))
		c.mu.Lock()
		before := c.session
		c.session = ""
		c.note()
		c.mu.Unlock()
		words := "🆕 Your next message starts a new session."
		if before != "" {
			c.front.LetGo(before)
			words += " The previous one is in /sessions."
		}
		c.sendText(words)
		c.front.Handled(s.handled)
	})
}
