package telegram

import (
	"context"

	"github.com/bellcord/bellcord"
)

// replacedByPolicy reports whether a newer message took the turn's place because
// the bot is set up that way. Its end is not shown, the newer answer is. A person
// who replaces an answer with "!" is shown what there was.
func replacedByPolicy(r bellcord.Receipt) bool {
	return r.End == bellcord.EndStopped && r.Cause.Kind == bellcord.CauseReplaced && r.Cause.Source != fromHere
}

// withdrawPreview deletes the message that shows an unfinished answer. It takes
// no part in the chat's pace: the newer answer does not wait for it. The lock is
// held.
func (c *chat) withdrawPreview(t *turn) {
	c.front.box.Aside(func(ctx context.Context) error {
		c.mu.Lock()
		live := t.live
		c.mu.Unlock()
		if live == 0 {
			return nil
		}
		return c.front.Bot.Delete(ctx, c.place, []int{live})
	})
}
