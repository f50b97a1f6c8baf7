package telegram

import (
	"context"
	"errors"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/telegram/markup"
	"github.com/bellcord/bellcord/internal/front/telegram/outbox"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

const (
	// mostParts is how many messages an answer may be; a longer one is a file.
	mostParts = 3
	// mostWhole is how long a part may be with what stands below it, in units.
	// Telegram refuses what is longer than 4096.
	mostWhole = 4080
)

// finish shows a turn's end: what it said last, and how it ended. The lock is
// held.
func (c *chat) finish(t *turn, r bellcord.Receipt) {
	t.quit()
	delete(c.turns, t.id)
	delete(c.mine, t.id)
	c.front.box.Forget(c.place.Chat, t.slot())
	c.closeQuestions(t)
	defer c.signalEndLocked()
	if t.placeholder {
		t.placeholder = false
		c.takeAway([]*turn{t.without()})
	}
	if replacedByPolicy(r) {
		c.withdrawPreview(t)
		c.note()
		return
	}
	if t.cleared && r.End == bellcord.EndStopped || t.unseen(r) {
		c.note()
		return
	}
	t.receipt = r
	body := strings.TrimSpace(t.text.String())
	if t.cleared { // it was done before the clear came: nothing of it is missing
		body, t.live, t.flushed = strings.TrimSpace(t.all.String()), 0, 0
	}
	below, rows := c.ends(t, r)
	rows = append(rows, c.offer(t)...)
	c.ending[t.id] = t
	c.note()
	if body == "" && below == "" {
		if t.drafts > 0 && t.live == 0 { // its words are messages, the last may be on its way
			c.put(func(context.Context) error { c.delivered(t); return nil })
			return
		}
		below = "Done, with no text."
	}
	c.deliver(t, body, below, rows)
}

// unseen reports whether a turn ended before there was anything to see of it, and
// those who are concerned are told otherwise.
func (t *turn) unseen(r bellcord.Receipt) bool {
	switch {
	case r.End != bellcord.EndStopped || t.all.Len() > 0 || len(t.tools) > 0:
		return false
	case r.Cause.Kind == bellcord.CauseReplaced:
		return t.live == 0
	}
	return r.Times.Started.IsZero() && (!t.mine || r.Cause.Queue == bellcord.QueueDrop)
}

// deliver sends the last words. The lock is held.
func (c *chat) deliver(t *turn, body, below string, rows [][]wire.Button) {
	parts := markup.Split(body, markup.MostUnits)
	if len(parts) > mostParts {
		c.deliverFile(t, body, below, rows)
		return
	}
	if len(parts) == 0 || markup.Units(parts[len(parts)-1]+below) > mostWhole {
		parts = append(parts, "") // for what stands below
	}
	for i, part := range parts {
		last := i == len(parts)-1
		words, buttons := "", [][]wire.Button(nil)
		if last {
			words, buttons = below, rows
		}
		c.put(func(ctx context.Context) error {
			err := c.sendLast(ctx, t, i == 0, part, words, buttons)
			if last && (err == nil || errors.Is(err, outbox.ErrNever)) {
				c.delivered(t)
			}
			return err
		})
	}
}

// deliverFile sends an answer that is too long for messages as a file, with its
// beginning as a message.
func (c *chat) deliverFile(t *turn, body, below string, rows [][]wire.Button) {
	const beginning = 1000
	head := markup.Split(body, beginning)[0]
	below = strings.TrimSpace("… the full answer is in the file below.\n" + below)
	c.put(func(ctx context.Context) error { return c.sendLast(ctx, t, true, head, below, rows) })
	c.put(func(ctx context.Context) error {
		_, err := c.front.Bot.Document(ctx, c.place, "answer.md", []byte(body), "")
		if err == nil || errors.Is(err, outbox.ErrNever) {
			c.delivered(t)
		}
		return err
	})
}

// sendLast sends a part of the last words: in place of what was edited, where
// there is something and Telegram lets us.
func (c *chat) sendLast(ctx context.Context, t *turn, first bool, part, below string, rows [][]wire.Button) error {
	c.mu.Lock()
	live := t.live
	c.mu.Unlock()
	if first && live != 0 {
		err := c.dressed(part, below, rows, func(m wire.Text) error { return c.front.Bot.Edit(ctx, live, m) })
		if err == nil {
			c.parted(t, live, part, rows)
		}
		if !errors.Is(err, outbox.ErrNever) {
			return err
		}
	}
	id, err := c.sendMarkdown(ctx, part, below, rows)
	if err == nil {
		c.parted(t, id, part, rows)
	}
	return err
}

// delivered notes that all of a turn has been shown.
func (c *chat) delivered(t *turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.ending, t.id)
	c.note()
}
