package chats

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats/outbox"
)

// drafts reports whether unfinished answers are shown as drafts.
func (sh *shared) drafts() bool { return sh.front.Drafts != nil && sh.front.Drafts.CanDraft(sh.place) }

// refreshTime returns the time after which a preview is shown again without new
// text. A draft is shown again before it disappears.
func (sh *shared) refreshTime() time.Duration {
	const longest = 20 * time.Second
	if life := sh.front.Limits.Draft; life > 0 {
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
func (ts *shownTurns) preview(t *turn) {
	if !t.visible() || ts.front.life.Err() != nil {
		return
	}
	due := time.Since(t.lastSeen) >= ts.refreshTime()
	if !due && t.fresh > 0 && t.fresh < newWords && t.kind == "text" {
		return // the usual case: a few new words
	}
	t.fresh = 0
	text, kind := t.sight(ts.front.Limits)
	small := Units(text) < Units(t.shown)+newWords && Units(text) < ts.front.Limits.preview()/2
	if !due && kind == t.kind && (text == t.shown || small) {
		return
	}
	t.kind = kind
	ts.front.box.Put(outbox.Call{Chat: string(ts.place.Chat), Group: ts.place.Group, Slot: t.slot(), Do: func(ctx context.Context) error {
		return ts.sendPreview(ctx, t)
	}})
}

// sendPreview sends the turn's preview with the newest text, which may be newer
// than the queued call.
func (ts *shownTurns) sendPreview(ctx context.Context, t *turn) error {
	ts.mu.Lock()
	text, kind := t.sight(ts.front.Limits)
	edits, live, draft := t.display == displayEdited, t.live, t.draft()
	obsolete := !t.visible() || edits && live != "" && text == t.shown
	if !obsolete {
		t.shown, t.kind, t.lastSeen = text, kind, time.Now()
	}
	ts.mu.Unlock()
	switch {
	case obsolete:
		return nil
	case edits:
		return ts.sendEdit(ctx, t, live, text)
	}
	err := ts.front.Drafts.Draft(ctx, Draft{Place: ts.place, ID: draft, Text: text})
	ts.mu.Lock()
	defer ts.mu.Unlock()
	var wait *outbox.TooMany
	switch {
	case err == nil:
		ts.wakeAfter(t, ts.refreshTime())
	case errors.As(err, &wait):
		ts.wakeAfter(t, wait.RetryAfter)
	case ctx.Err() == nil:
		ts.logger().Warn("a draft was rejected; showing the turn by edits", "turn", t.id, "err", err)
		t.rejectDraft()
		ts.preview(t)
		return nil
	}
	return err
}

// wakeAfter shows the draft again after d: before it expires, or after a rate
// limit. The caller holds the lock.
func (ts *shownTurns) wakeAfter(t *turn, d time.Duration) {
	if t.wakes != nil {
		t.wakes.Stop()
	}
	if t.phase == phaseEnded {
		return
	}
	t.wakes = time.AfterFunc(d, func() {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		t.lastSeen = time.Time{}
		ts.preview(t)
	})
}

// sendEdit shows the turn in a message with a Stop button.
func (ts *shownTurns) sendEdit(ctx context.Context, t *turn, live ID, text string) error {
	if text == "" {
		text = "💭 …"
	}
	message := Text{Place: ts.place, Text: text, Buttons: [][]Button{t.stopButton()}, Silent: true}
	if live != "" {
		return ts.front.Messages.Edit(ctx, live, message)
	}
	id, err := ts.front.Messages.Send(ctx, message)
	if err == nil {
		ts.sent(t, id, false)
		ts.mu.Lock()
		t.live = id
		ts.mu.Unlock()
	}
	return err
}

// sent records a message of the turn. complete reports whether it ends the text before a
// tool call: only then a later process does not send that text again.
func (ts *shownTurns) sent(t *turn, id ID, complete bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t.ids = append(t.ids, id)
	if complete {
		t.flushed++
	}
	ts.note()
}

// waiting sends a message that the turn is queued. The caller holds the lock.
func (ts *shownTurns) waiting(t *turn) {
	t.phase = phaseAnnounced
	ts.put(func(ctx context.Context) error {
		ts.mu.Lock()
		obsolete := t.phase != phaseAnnounced || t.display == displayCleared
		ts.mu.Unlock()
		if obsolete {
			return nil
		}
		rows := [][]Button{{{Text: "✕ Discard", Data: "s:" + string(t.id)}}}
		id, err := ts.front.Messages.Send(ctx, Text{Place: ts.place, Text: "⏳ Queued. I'll answer it after the messages before it.", Buttons: rows, Silent: true})
		if err != nil {
			return err
		}
		ts.mu.Lock()
		late := t.phase != phaseAnnounced // it started while the message was sent
		if !late {
			t.ids = append(t.ids, id)
			ts.note()
		}
		ts.mu.Unlock()
		if late {
			return ts.front.Messages.Delete(ctx, ts.place, []ID{id})
		}
		return nil
	})
}

// flush sends the text so far as a separate message. The caller holds the lock.
func (ts *shownTurns) flush(t *turn) {
	text := strings.TrimSpace(t.text.String())
	t.text.Reset()
	if text == "" {
		return
	}
	t.drafts++
	t.shown, t.kind = "", ""
	if t.before > 0 { // a previous process sent it
		t.before--
		return
	}
	ts.front.box.Drop(string(ts.place.Chat), t.slot())
	parts := Split(text, ts.front.Limits.part())
	for i, part := range parts {
		ts.put(func(ctx context.Context) error {
			ts.mu.Lock()
			obsolete := t.display == displayCleared
			ts.mu.Unlock()
			if obsolete {
				return nil
			}
			id, err := ts.front.Messages.Send(ctx, ts.markdown(part, "", nil))
			if err == nil {
				ts.sent(t, id, i == len(parts)-1)
			}
			return err
		})
	}
}

// markdown returns a part of an answer with a line below it.
func (sh *shared) markdown(part, below string, rows [][]Button) Text {
	return Text{Place: sh.place, Text: part, Below: below, Markdown: true, Buttons: rows}
}
