package chats

import (
	"context"
	"errors"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chats/outbox"
)

// mostParts is the maximum number of messages for an answer; a longer one is sent
// as a file.
const mostParts = 3

// finish shows a turn's end: the rest of its text, and how it ended. The caller
// holds the lock.
func (c *chat) finish(t *turn, r bellcord.Receipt) {
	t.quit()
	delete(c.turns, t.id)
	delete(c.own, t.id)
	c.front.box.Drop(string(c.place.Chat), t.slot())
	c.closeQuestions(t)
	defer c.signalEndLocked()
	if t.placeholder {
		t.placeholder = false
		c.takeAway([]*turn{t.without()})
	}
	if c.replacedByPolicy(r) {
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
		body, t.live, t.flushed = strings.TrimSpace(t.all.String()), "", 0
	}
	below, rows := c.ends(t, r)
	rows = append(rows, c.offer(t)...)
	c.ending[t.id] = t
	c.note()
	last := c.newFinal(t, r)
	if body == "" && below == "" && last.line == "" {
		if t.drafts > 0 && t.live == "" { // the text was sent as messages; the last may still be queued
			c.put(func(context.Context) error { c.delivered(t); return nil })
			return
		}
		below = "Done, with no text."
	}
	last.needed = true
	c.deliver(t, last, body, below, rows)
	if len(r.HeldTurns) > 0 && len(rows) > 0 {
		c.last = &farewell{turn: t.id, message: last, receipt: r}
	}
}

// unseen reports whether a turn was stopped before it showed anything and its
// end needs no message, because another message reports it.
func (t *turn) unseen(r bellcord.Receipt) bool {
	switch {
	case r.End != bellcord.EndStopped || t.all.Len() > 0 || len(t.tools) > 0:
		return false
	case r.Cause.Kind == bellcord.CauseReplaced:
		return t.live == ""
	}
	return r.Times.Started.IsZero() && (!t.own || r.Cause.Queue == bellcord.QueueDrop)
}

// deliver sends the rest of the answer and ends it with the last message. The
// caller holds the lock.
func (c *chat) deliver(t *turn, end *final, body, below string, rows [][]Button) {
	parts := Split(body, c.front.Limits.part())
	if len(parts) > mostParts {
		c.deliverFile(t, end, body, below, rows)
		return
	}
	switch {
	case len(parts) > 0 && Units(parts[len(parts)-1]+below)+end.length() <= c.front.Limits.whole():
	case len(parts) > 0 && below == "" && end.line == "":
		end.needed = false // its line gets a separate message
	default:
		parts = append(parts, "") // for the lines below
	}
	for i, part := range parts {
		last := i == len(parts)-1
		message := &final{text: new(c.markdown(part, "", nil))}
		if last && end.needed {
			message = end
		}
		if last {
			*message.text = c.markdown(part, below, rows)
		}
		c.put(func(ctx context.Context) error {
			err := c.sendLast(ctx, t, i == 0, message)
			if last && (err == nil || errors.Is(err, outbox.ErrNever)) {
				c.delivered(t)
			}
			return err
		})
	}
}

// deliverFile sends an answer that is too long for messages as a file, and its
// beginning as a message.
func (c *chat) deliverFile(t *turn, end *final, body, below string, rows [][]Button) {
	const beginning = 1000
	head := Split(body, beginning)[0]
	below = strings.TrimSpace("… the full answer is in the file below.\n" + below)
	*end.text = c.markdown(head, below, rows)
	c.put(func(ctx context.Context) error { return c.sendLast(ctx, t, true, end) })
	c.put(func(ctx context.Context) error {
		err := c.front.Files.Upload(ctx, c.place, "answer.md", []byte(body))
		if err == nil || errors.Is(err, outbox.ErrNever) {
			c.delivered(t)
		}
		return err
	})
}

// sendLast sends a part of the rest of the answer. The first part replaces the
// edited message, if there is one and the platform accepts the edit.
func (c *chat) sendLast(ctx context.Context, t *turn, first bool, m *final) error {
	c.mu.Lock()
	live := t.live
	c.mu.Unlock()
	if first && live != "" {
		err := c.deliverFinal(m, func(text Text) (ID, error) { return live, c.front.Messages.Edit(ctx, live, text) })
		if !errors.Is(err, outbox.ErrNever) {
			return err
		}
	}
	return c.deliverFinal(m, func(text Text) (ID, error) { return c.front.Messages.Send(ctx, text) })
}

// delivered records that a turn was shown completely.
func (c *chat) delivered(t *turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.ending, t.id)
	c.note()
}
