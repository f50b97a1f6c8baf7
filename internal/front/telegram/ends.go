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
	// mostParts is the maximum number of messages for an answer; a longer
	// one is sent as a file.
	mostParts = 3
	// mostWhole is the maximum length of a part with the lines below it, in
	// UTF-16 units. Telegram rejects more than 4096.
	mostWhole = 4080
)

// finish shows a turn's end: the rest of its text, and how it ended. The caller
// holds the lock.
func (c *chat) finish(t *turn, r bellcord.Receipt) {
	t.quit()
	delete(c.turns, t.id)
	delete(c.own, t.id)
	c.front.box.Drop(c.place.Chat, t.slot())
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
	if t.cleared { // it was done before the clear: the answer is complete
		body, t.live, t.flushed = strings.TrimSpace(t.all.String()), 0, 0
	}
	below, rows := c.ends(t, r)
	rows = append(rows, c.offer(t)...)
	c.ending[t.id] = t
	c.note()
	if body == "" && below == "" {
		if t.drafts > 0 && t.live == 0 { // the text was sent as messages; the last may still be queued
			c.put(func(context.Context) error { c.delivered(t); return nil })
			return
		}
		below = "Done, with no text."
	}
	c.deliver(t, body, below, rows)
}

// unseen reports whether a turn was stopped before it showed anything and its
// end needs no message, because another message reports it.
func (t *turn) unseen(r bellcord.Receipt) bool {
	switch {
	case r.End != bellcord.EndStopped || t.all.Len() > 0 || len(t.tools) > 0:
		return false
	case r.Cause.Kind == bellcord.CauseReplaced:
		return t.live == 0
	}
	return r.Times.Started.IsZero() && (!t.own || r.Cause.Queue == bellcord.QueueDrop)
}

// deliver sends the rest of the answer. The caller holds the lock.
func (c *chat) deliver(t *turn, body, below string, rows [][]wire.Button) {
	parts := markup.Split(body, markup.MostUnits)
	if len(parts) > mostParts {
		c.deliverFile(t, body, below, rows)
		return
	}
	if len(parts) == 0 || markup.Units(parts[len(parts)-1]+below) > mostWhole {
		parts = append(parts, "") // for the lines below
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

// deliverFile sends an answer that is too long for messages as a file, and its
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

// sendLast sends a part of the rest of the answer. The first part replaces the
// edited message, if there is one and Telegram accepts the edit.
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

// delivered records that a turn was shown completely.
func (c *chat) delivered(t *turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.ending, t.id)
	c.note()
}
