package telegram

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/front/telegram/markup"
	"github.com/bellcord/bellcord/internal/front/telegram/outbox"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// stopButton returns a button that stops the turn.
func (t *turn) stopButton() []wire.Button {
	return []wire.Button{{Text: "⏹ Stop", Data: "s:" + string(t.id), Style: "danger"}}
}

// preview queues a preview of the turn if enough has changed. The caller holds
// the lock.
func (c *chat) preview(t *turn) {
	if t.over || t.cleared || t.silent || c.front.life.Err() != nil {
		return
	}
	due := time.Since(t.lastSeen) >= refreshTime
	if !due && t.fresh > 0 && t.fresh < newWords && t.state == "text" {
		return // the usual case: a few new words
	}
	t.fresh = 0
	text, state := t.sight()
	if !due && state == t.state && (text == t.shown || markup.Units(text) < markup.Units(t.shown)+newWords && markup.Units(text) < mostShown/2) {
		return
	}
	t.state = state
	c.front.box.Put(outbox.Call{Chat: c.place.Chat, Group: c.place.Group, Slot: t.slot(), Do: func(ctx context.Context) error {
		return c.sendPreview(ctx, t)
	}})
}

// sendPreview sends the turn's preview with the newest text, which may be newer
// than the queued call.
func (c *chat) sendPreview(ctx context.Context, t *turn) error {
	c.mu.Lock()
	text, state := t.sight()
	obsolete := t.over || t.cleared || t.silent || t.edits && t.live != 0 && text == t.shown
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
	err := c.front.Bot.Draft(ctx, wire.Draft{Place: c.place, ID: draft, Text: text, Stop: true, Keep: true})
	c.mu.Lock()
	defer c.mu.Unlock()
	var wait *outbox.TooMany
	switch {
	case err == nil:
		c.wakeAfter(t, refreshTime)
	case errors.As(err, &wait):
		c.wakeAfter(t, wait.RetryAfter)
	case ctx.Err() == nil:
		c.front.Logger.Warn("telegram rejected a draft; showing the turn by edits", "chat", c.place.Chat, "turn", t.id, "err", err)
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
func (c *chat) sendEdit(ctx context.Context, t *turn, live int, text string) error {
	if text == "" {
		text = "💭 …"
	}
	message := wire.Text{Place: c.place, Text: text, Buttons: [][]wire.Button{t.stopButton()}, Silent: true}
	if live != 0 {
		return c.front.Bot.Edit(ctx, live, message)
	}
	id, err := c.front.Bot.Send(ctx, message)
	if err == nil {
		c.sent(t, id)
		c.mu.Lock()
		t.live = id
		c.mu.Unlock()
	}
	return err
}

// sent records a message of the turn.
func (c *chat) sent(t *turn, id int) { c.taken(t, id, false) }

// taken records a message that Telegram has accepted. complete reports whether
// it ends the text before a tool call: only then a later process does not send
// that text again.
func (c *chat) taken(t *turn, id int, complete bool) {
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
		rows := [][]wire.Button{{{Text: "✕ Discard", Data: "s:" + string(t.id)}}}
		id, err := c.front.Bot.Send(ctx, wire.Text{Place: c.place, Text: "⏳ Queued. I'll answer it after the messages before it.", Buttons: rows, Silent: true})
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
			return c.front.Bot.Delete(ctx, c.place, []int{id})
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
	c.front.box.Drop(c.place.Chat, t.slot())
	parts := markup.Split(text, markup.MostUnits)
	for i, part := range parts {
		c.put(func(ctx context.Context) error {
			c.mu.Lock()
			obsolete := t.cleared
			c.mu.Unlock()
			if obsolete {
				return nil
			}
			id, err := c.sendMarkdown(ctx, part, "", nil)
			if err == nil {
				c.taken(t, id, i == len(parts)-1)
			}
			return err
		})
	}
}

// sendMarkdown sends a part of an answer with a line below it: as HTML, or as
// plain text if Telegram rejects the HTML.
func (c *chat) sendMarkdown(ctx context.Context, part, below string, rows [][]wire.Button) (int, error) {
	var id int
	err := c.dressed(part, below, rows, func(t wire.Text) (err error) {
		id, err = c.front.Bot.Send(ctx, t)
		return err
	})
	return id, err
}

// dressed calls do with the text as HTML and, if Telegram rejects the HTML, as
// plain text.
func (c *chat) dressed(part, below string, rows [][]wire.Button, do func(wire.Text) error) error {
	html, plain := markup.Render(part), part
	if below != "" {
		html, plain = strings.TrimSpace(html+"\n\n"+escape(below)), strings.TrimSpace(plain+"\n\n"+below)
	}
	err := do(wire.Text{Place: c.place, Text: html, HTML: true, Buttons: rows})
	if errors.Is(err, wire.ErrMarkup) {
		c.front.Logger.Warn("telegram rejected HTML; sending plain text", "chat", c.place.Chat, "err", err)
		err = do(wire.Text{Place: c.place, Text: plain, Buttons: rows})
	}
	return err
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
