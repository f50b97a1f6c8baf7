package chats

import (
	"context"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
)

// follower reads a session's log for a chat.
type follower struct {
	session bellcord.SessionID
	after   int64 // all turns up to this sequence number are shown completely
	kept    map[bellcord.TurnID]keeping
	end     context.CancelFunc
}

// open returns what the book must store of the given turns that belong to this
// session.
func (f *follower) open(all ...map[bellcord.TurnID]*turn) map[bellcord.TurnID]keeping {
	open := map[bellcord.TurnID]keeping{}
	for _, turns := range all {
		for id, t := range turns {
			if t.session == f.session {
				open[id] = keeping{t.ids, t.flushed, t.live}
			}
		}
	}
	return open
}

// follow starts reading a session's log at its end, unless it is being read
// already.
func (c *chat) follow(ctx context.Context, session bellcord.SessionID) error {
	c.mu.Lock()
	is := c.follows[session] != nil
	c.mu.Unlock()
	if is {
		return nil
	}
	tail, err := c.front.Hub.Tail(ctx, session)
	if err == nil {
		c.read(session, tail, nil)
	}
	return err
}

// read starts reading a log, unless it is being read already.
func (c *chat) read(session bellcord.SessionID, after int64, kept map[bellcord.TurnID]keeping) {
	ctx, end := context.WithCancel(c.front.life)
	f := &follower{session: session, after: after, kept: kept, end: end}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.follows[session] != nil {
		end()
		return
	}
	c.follows[session] = f
	for id := range kept {
		c.own[id] = true
	}
	c.front.work.Go(func() {
		defer end()
		c.readOn(ctx, f)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.follows, session)
	})
}

// readOn shows a session's events until ctx ends or the session is gone.
func (c *chat) readOn(ctx context.Context, f *follower) {
	at := f.after
	for ctx.Err() == nil {
		err := c.readFrom(ctx, f, &at)
		switch {
		case ctx.Err() != nil, errors.Is(err, bellcord.ErrNoSession), errors.Is(err, bellcord.ErrClosed):
			c.lose(f)
			return
		}
		c.logger().Warn("reading a session's log for a chat failed; retrying", "session", f.session, "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (c *chat) readFrom(ctx context.Context, f *follower, at *int64) error {
	cursor, err := c.front.Hub.Events(ctx, f.session, *at)
	if err != nil {
		return err
	}
	defer cursor.Close()
	for {
		events, err := cursor.Next(ctx)
		if err != nil {
			return err
		}
		for _, ev := range bellcord.Joined(events) {
			c.showEvent(f, ev)
			*at = ev.Seq
		}
	}
}

// lose drops the turns of a log that can no longer be read. The book keeps
// them.
func (c *chat) lose(f *follower) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, t := range c.turns {
		if t.session == f.session {
			t.end()
			delete(c.turns, id)
			delete(c.own, id)
		}
	}
	c.signalEndLocked()
}

// showEvent applies an event to the display.
func (c *chat) showEvent(f *follower, ev bellcord.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.turns[ev.Turn]
	if p, is := ev.Body.(bellcord.TurnAccepted); is && t == nil && (p.Task == bellcord.TaskAnswer || p.Task == bellcord.TaskUnprompted) {
		c.showTurn(f, ev)
		return
	}
	switch b := ev.Body.(type) {
	case bellcord.ProcessesRecovered:
		c.sendText(b.Text())
	case bellcord.ChangesRecorded:
		c.recordChanges(f.session, b)
	case bellcord.Undone:
		c.showUndone(b)
	case bellcord.TurnEnded:
		if changesFiles(b.Receipt.Changes) {
			c.withdrawUndo(f.session)
		}
	}
	if t == nil {
		return
	}
	switch b := ev.Body.(type) {
	case bellcord.TurnStarted:
		c.started(t)
	case bellcord.ToolCallRequested:
		c.called(t, b)
	case bellcord.QuestionOpened:
		c.sendQuestion(t, b.Question)
	case bellcord.QuestionAnswered:
		c.closeQuestion(t, b)
	case bellcord.StopRequested:
		c.stopping(t)
	case bellcord.TurnEnded:
		c.finish(t, b.Receipt)
	default:
		if t.apply(b) {
			c.preview(t)
		}
	}
}

// showTurn shows an accepted turn. The caller holds the lock, here and in the
// functions below.
func (c *chat) showTurn(f *follower, ev bellcord.Event) {
	kept := f.kept[ev.Turn]
	t := &turn{
		id: ev.Turn, session: f.session, own: c.own[ev.Turn],
		view: view{ids: kept.Messages, flushed: kept.Flushed, before: kept.Flushed, live: kept.Live},
	}
	switch {
	case c.cleared[ev.Turn]:
		t.display = displayCleared
	case c.front.Silent:
		t.display = displayNone
	case !c.drafts():
		t.display = displayEdited
	}
	delete(c.cleared, ev.Turn)
	waits := false
	for _, other := range c.turns {
		waits = waits || other.session == f.session
	}
	if len(f.open(c.turns, c.ending)) == 0 {
		f.after = ev.Seq - 1
	}
	c.turns[ev.Turn] = t
	c.note()
	switch {
	case waits && c.front.Replace: // it starts as soon as the previous turn has stopped
	case waits && t.own:
		c.waiting(t)
	case !waits:
		c.preview(t)
	}
}

func (ts *shownTurns) started(t *turn) {
	if t.start() {
		ts.takeAway([]*turn{t.without()})
	}
	ts.preview(t)
}

// called handles the start of a tool call: the text before it is complete.
func (ts *shownTurns) called(t *turn, b bellcord.ToolCallRequested) {
	if t.display == displayDraft {
		ts.flush(t)
	}
	t.apply(b)
	ts.preview(t)
}

// patience is how long a stop may take before the preview shows what it waits
// for.
const patience = 2 * time.Second

func (qs *questions) stopping(t *turn) {
	t.recordStop()
	qs.closeQuestions(t)
	qs.preview(t)
	t.after(patience, func() {
		qs.mu.Lock()
		defer qs.mu.Unlock()
		t.delayStop()
		qs.preview(t)
	})
}
