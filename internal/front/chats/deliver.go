package chats

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats/outbox"
)

// drafts reports whether unfinished answers are shown as drafts.
func (c *chat) drafts() bool { return c.front.Drafts != nil && c.front.Drafts.CanDraft(c.place) }

// refreshTime returns the time after which a preview is shown again without new
// text. A draft is shown again before it disappears.
func (c *chat) refreshTime() time.Duration {
	const longest = 20 * time.Second
	if life := c.front.Limits.Draft; life > 0 {
		return min(life*2/3, longest)
	}
	return longest
}

// stopButton returns a button that stops the turn.
func (t *turn) stopButton() []Button {
	return []Button{{Text: "⏹ Stop", Data: "s:" + string(t.id), Danger: true}}
}

// preview queues a preview of the turn if enough has changed. The caller holds
// the lock.
func (c *chat) preview(t *turn) {
	if t.over || t.cleared || t.silent || c.front.life.Err() != nil {
		return
	}
	due := time.Since(t.lastSeen) >= c.refreshTime()
	if !due && t.fresh > 0 && t.fresh < newWords && t.state == "text" {
		return // the usual case: a few new words
	}
	t.fresh = 0
	text, state := t.sight(c.front.Limits)
	if !due && state == t.state && (text == t.shown || Units(text) < Units(t.shown)+newWords && Units(text) < c.front.Limits.preview()/2) {
		return
	}
	t.state = state
	c.front.box.Put(outbox.Call{Chat: string(c.place.Chat), Group: c.place.Group, Slot: t.slot(), Do: func(ctx context.Context) error {
		return c.sendPreview(ctx, t)
	}})
}

// sendPreview sends the turn's preview with the newest text, which may be newer
// than the queued call.
func (c *chat) sendPreview(ctx context.Context, t *turn) error {
	c.mu.Lock()
	text, state := t.sight(c.front.Limits)
	obsolete := t.over || t.cleared || t.silent || t.edits && t.live != "" && text == t.shown
	edits, live, draft := t.edits, t.live, t.draft()
	if !obsolete {
		t.shown, t.state, t.lastSeen = text, state, time.Now()
	}
	c.mu.Unlock()
	switch {
	case obsolete:
		return nil
	case edits:
		return c.sendEdit(ctx, t, live, text)
	}
	err := c.front.Drafts.Draft(ctx, Draft{Place: c.place, ID: draft, Text: text})
	c.mu.Lock()
	defer c.mu.Unlock()
	var wait *outbox.TooMany
	switch {
	case err == nil:
		c.wakeAfter(t, c.refreshTime())
	case errors.As(err, &wait):
		c.wakeAfter(t, wait.RetryAfter)
	case ctx.Err() == nil:
		c.front.Logger.Warn("a draft was rejected; showing the turn by edits", "platform", c.front.Platform, "chat", c.place.Chat, "turn", t.id, "err", err)
		t.edits, t.shown, t.state, err = true, "", "", nil
		c.preview(t)
	}
	return err
}

// wakeAfter shows the draft again after d: before it expires, or after a rate
// limit. The caller holds the lock.
func (c *chat) wakeAfter(t *turn, d time.Duration) {
	if t.wakes != nil {
		t.wakes.Stop()
	}
	if t.over {
		return
	}
	t.wakes = time.AfterFunc(d, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		t.lastSeen = time.Time{}
		c.preview(t)
	})
}

// sendEdit shows the turn in a message with a Stop button.
func (c *chat) sendEdit(ctx context.Context, t *turn, live ID, text string) error {
	if text == "" {
		text = "💭 …"
	}
	message := Text{Place: c.place, Text: text, Buttons: [][]Button{t.stopButton()}, Silent: true}
	if live != "" {
		return c.front.Messages.Edit(ctx, live, message)
	}
	id, err := c.front.Messages.Send(ctx, message)
	if err == nil {
		c.sent(t, id)
		c.mu.Lock()
		t.live = id
		c.mu.Unlock()
	}
	return err
}

// sent records a message of the turn.
func (c *chat) sent(t *turn, id ID) { c.taken(t, id, false) }

// taken records a message that was sent. complete reports whether
// it ends the text before a tool call: only then a later process does not send
// that text again.
func (c *chat) taken(t *turn, id ID, complete bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.ids = append(t.ids, id)
	if complete {
		t.flushed++
	}
	c.note()
}

// waiting sends a message that the turn is queued. The caller holds the lock.
func (c *chat) waiting(t *turn) {
	t.placeholder = true
	c.put(func(ctx context.Context) error {
		c.mu.Lock()
		obsolete := !t.placeholder || t.cleared
		c.mu.Unlock()
		if obsolete {
			return nil
		}
		rows := [][]Button{{{Text: "✕ Discard", Data: "s:" + string(t.id)}}}
		id, err := c.front.Messages.Send(ctx, Text{Place: c.place, Text: "⏳ Queued. I'll answer it after the messages before it.", Buttons: rows, Silent: true})
		if err != nil {
			return err
		}
		c.mu.Lock()
		late := !t.placeholder // it started while the message was sent
		if !late {
			t.ids = append(t.ids, id)
			c.note()
		}
		c.mu.Unlock()
		if late {
			return c.front.Messages.Delete(ctx, c.place, []ID{id})
		}
		return nil
	})
}

// flush sends the text so far as a separate message. The caller holds the lock.
func (c *chat) flush(t *turn) {
	text := strings.TrimSpace(t.text.String())
	t.text.Reset()
	if text == "" {
		return
	}
	t.drafts++
	t.shown, t.state = "", ""
	if t.before > 0 { // a previous process sent it
		t.before--
		return
	}
	c.front.box.Drop(string(c.place.Chat), t.slot())
	parts := Split(text, c.front.Limits.part())
	for i, part := range parts {
		c.put(func(ctx context.Context) error {
			c.mu.Lock()
			obsolete := t.cleared
			c.mu.Unlock()
			if obsolete {
				return nil
			}
			id, err := c.front.Messages.Send(ctx, c.markdown(part, "", nil))
			if err == nil {
				c.taken(t, id, i == len(parts)-1)
			}
			return err
		})
	}
}

// markdown returns a part of an answer with a line below it.
func (c *chat) markdown(part, below string, rows [][]Button) Text {
	return Text{Place: c.place, Text: part, Below: below, Markdown: true, Buttons: rows}
}
