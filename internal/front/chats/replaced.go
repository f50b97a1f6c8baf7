package chats

import (
	"context"

	"github.com/bellcord/bellcord"
)

// replacedByPolicy reports whether a newer message replaced the turn because
// Config.Replace is set. Its end is not shown, only the newer answer. If a
// person replaces an answer with "!", its end is shown.
func (c *chat) replacedByPolicy(r bellcord.Receipt) bool {
	return r.End == bellcord.EndStopped && r.Cause.Kind == bellcord.CauseReplaced && r.Cause.Source != c.front.Platform
}

// withdrawPreview deletes the message that shows an unfinished answer. It
// bypasses the chat's pace, so that the newer answer is not delayed. The caller
// holds the lock.
func (c *chat) withdrawPreview(t *turn) {
	c.front.box.Aside(func(ctx context.Context) error {
		c.mu.Lock()
		live := t.live
		c.mu.Unlock()
		if live == "" {
			return nil
		}
		return c.front.Messages.Delete(ctx, c.place, []ID{live})
	})
}
