package chats

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/front/rewind"
)

// undoPress is a press of a button for the changes of a turn. The data of the
// buttons are TURN for Undo, and TURN:SEQ for the buttons of a preview and of its
// result. SEQ is the end of the log at the time of the preview.
type undoPress struct {
	Press
	kind    string
	by      string
	session bellcord.SessionID
	turn    bellcord.TurnID
	after   int64
}

// undoID identifies the undo of a preview: pressing Yes again undoes nothing more.
func (p undoPress) undoID() string {
	return bellcord.NamedID(fmt.Sprintf("undo %s %d", p.turn, p.after))
}

func (p undoPress) redoID() string { return bellcord.NamedID("redo " + p.undoID()) }

// pressUndo handles a button for the changes of a turn. The turn must belong to the
// owner of the chat, because the data of a press can be forged.
func (c *chat) pressUndo(ctx context.Context, p undoPress, data string) {
	id, seq, _ := strings.Cut(data, ":")
	p.after, _ = strconv.ParseInt(seq, 10, 64)
	t, err := c.front.Hub.Turn(ctx, bellcord.TurnID(id))
	var session bellcord.Session
	if err == nil {
		session, err = c.front.Hub.Session(ctx, t.Session)
	}
	if err != nil || session.Owner != c.owner {
		c.front.answerPress(p.Press, isOver)
		return
	}
	p.turn, p.session = t.ID, session.ID
	applies, err := c.applies(ctx, p)
	switch {
	case err != nil:
		c.front.answerPress(p.Press, c.undoProblem(err))
		return
	case !applies:
		c.front.answerPress(p.Press, isOver)
		c.expire(p.Message)
		return
	}
	c.front.answerPress(p.Press, map[string]string{"y": "Undoing…", "e": "Redoing…"}[p.kind])
	switch p.kind {
	case "u":
		text, rows := c.previewUndo(ctx, p.session, p.turn)
		c.sendText(text, rows...)
	case "y":
		c.undo(ctx, p)
	case "e":
		c.redo(ctx, p)
	case "n":
		c.put(func(ctx context.Context) error {
			return c.front.Messages.Edit(ctx, p.Message, Text{Place: c.place, Text: "Cancelled. No file was changed."})
		})
	}
}

// expire removes the buttons of a message that no longer apply.
func (c *chat) expire(message ID) {
	c.mu.Lock()
	c.removeUndo(func(m *final) bool { return m.message == message })
	known := slices.ContainsFunc(c.finals, func(m *final) bool { return m.message == message })
	c.mu.Unlock()
	if !known {
		c.removeButtons(message)
	}
}

// applies reports whether a button still applies. The log decides, so that it does
// not matter which process has sent the button.
func (c *chat) applies(ctx context.Context, p undoPress) (bool, error) {
	if p.kind == "u" {
		last, err := c.front.Undo.Last(ctx, p.session)
		return last.Turn == p.turn, err
	}
	changed, latest, undos := false, "", 0
	err := c.eachEvent(ctx, p.session, p.after, func(ev bellcord.Event) bool {
		switch b := ev.Body.(type) {
		case bellcord.TurnEnded:
			changed = changed || ev.Turn != p.turn && changesFiles(b.Receipt.Changes)
		case bellcord.ChangesRecorded:
			changed = changed || b.Turn != p.turn && changesFiles(&b.Changes)
		case bellcord.Undone:
			latest, undos = b.Undo, undos+1
		}
		return true
	})
	switch p.kind {
	case "y": // nothing has changed since the preview, apart from an earlier press
		return !changed && (undos == 0 || undos == 1 && latest == p.undoID()), err
	case "e":
		return latest == p.undoID() || latest == p.redoID(), err
	}
	return undos == 0, err
}

// previewUndo returns what an undo of a turn would do, with buttons to confirm it.
func (c *chat) previewUndo(ctx context.Context, session bellcord.SessionID, turn bellcord.TurnID) (string, [][]Button) {
	tail, err := c.front.Hub.Tail(ctx, session)
	if err != nil {
		return c.apology(err.Error()), nil
	}
	u, err := c.front.Undo.Undo(ctx, bellcord.UndoRequest{Turn: turn, Preview: true, Confirmed: true})
	switch {
	case err != nil:
		return c.undoProblem(err), nil
	case u.Restored == 0:
		return "Nothing can be undone.\n\n" + c.undoneList(u, true), nil
	}
	data := fmt.Sprintf("%s:%d", turn, tail)
	return "↩ Undo these changes?\n\n" + c.undoneList(u, true), [][]Button{{
		{Text: "✓ Yes, undo", Data: "y:" + data, Danger: true}, {Text: "✕ Cancel", Data: "n:" + data},
	}}
}

// undo undoes the changes of a turn and shows the result in the preview's message.
func (c *chat) undo(ctx context.Context, p undoPress) {
	// The event removes the Undo button.
	err := c.follow(ctx, p.session)
	var u bellcord.Undone
	if err == nil {
		u, err = c.front.Undo.Undo(ctx, bellcord.UndoRequest{ID: p.undoID(), Turn: p.turn, Confirmed: true, By: p.by, Source: c.front.Platform})
	}
	if err != nil {
		c.sendText(c.undoProblem(err))
		return
	}
	text := Text{Place: c.place, Text: c.undoResult(u)}
	if u.Restored > 0 {
		text.Buttons = [][]Button{{{Text: "↪ Redo", Data: fmt.Sprintf("e:%s:%d", p.turn, p.after)}}}
	}
	c.put(func(ctx context.Context) error { return c.front.Messages.Edit(ctx, p.Message, text) })
}

// redo reverses an undo and shows the result in the same message, with an Undo
// button.
func (c *chat) redo(ctx context.Context, p undoPress) {
	u, err := c.front.Undo.Redo(ctx, bellcord.UndoRequest{
		ID: p.redoID(), Undo: p.undoID(), Session: p.session, Confirmed: true, By: p.by, Source: c.front.Platform,
	})
	if err != nil {
		c.sendText(c.undoProblem(err))
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.redoFinal(u, p.session)
	m.message, m.needed = p.Message, true
	c.revised(m)
}

// redoFinal returns the message about a redo. The caller holds the lock.
func (c *chat) redoFinal(u bellcord.Undone, session bellcord.SessionID) *final {
	m := &final{session: session, text: &Text{Place: c.place, Text: c.undoResult(u)}}
	if u.Restored > 0 && len(u.Turns) == 1 {
		m.turn, m.undo = u.Turns[0], undoLabel(u.Restored)
	}
	c.addFinal(m)
	return m
}

// undoCommand answers /changes, /undo and /redo.
func (c *chat) undoCommand(ctx context.Context, what verb, s incoming) (string, [][]Button) {
	c.mu.Lock()
	session := c.session
	c.mu.Unlock()
	if session == "" {
		return "There is no session yet, so there are no changes.", nil
	}
	last, err := c.front.Undo.Last(ctx, session)
	if what == undo && s.text != "" && err == nil {
		return c.undoTurn(ctx, session, s.text)
	}
	switch {
	case err != nil:
		return c.undoProblem(err), nil
	case what == redo && last.Undo == "":
		return "There is nothing to redo.", nil
	case what == redo:
		return c.redoLast(ctx, session, last.Undo, s), nil
	case last.Turn == "":
		return "No turn of this session has changes that can be undone.", nil
	case what == undo:
		return c.previewUndo(ctx, session, last.Turn)
	}
	return c.showChanges(ctx, session, last.Turn), nil
}

// undoTurn answers /undo with the id of a turn, or a part of it.
func (c *chat) undoTurn(ctx context.Context, session bellcord.SessionID, word string) (string, [][]Button) {
	turns, err := c.sessionTurns(ctx, session)
	if err != nil {
		return c.undoProblem(err), nil
	}
	turn, paths, err := rewind.SplitTurn(strings.Fields(word), turns.Started())
	switch {
	case err != nil:
		return refusal(err), nil
	case turn == "" || len(paths) > 0:
		return "No turn of this session has the id " + word + ". Send /rewind to see the turns.", nil
	}
	return c.previewUndo(ctx, session, turn)
}

// redoLast reverses an undo, which any front may have requested.
func (c *chat) redoLast(ctx context.Context, session bellcord.SessionID, id string, s incoming) string {
	u, err := c.front.Undo.Redo(ctx, bellcord.UndoRequest{
		ID: bellcord.NamedID("redo " + string(s.turn)), Undo: id, Session: session, Confirmed: true, By: s.by, Source: c.front.Platform,
	})
	if err != nil {
		return c.undoProblem(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sendFinal(c.redoFinal(u, session))
	return ""
}

// showChanges sends the list of a turn's changes, with an Undo button.
func (c *chat) showChanges(ctx context.Context, session bellcord.SessionID, turn bellcord.TurnID) string {
	all, err := c.front.Undo.Changes(ctx, turn)
	if err != nil {
		return c.undoProblem(err)
	}
	text := fit(c.front.Limits.question(), len(all.Files), func(n int) string {
		cut := all
		cut.Files, cut.More = all.Files[:n], all.More+len(all.Files)-n
		return line.Changes(cut)
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	m := &final{session: session, turn: turn, text: &Text{Place: c.place, Text: text}}
	m.setChanges(&all)
	c.addFinal(m)
	c.sendFinal(m)
	return ""
}

// noUndo is used if no changes are recorded.
type noUndo struct{}

func (noUndo) Changes(context.Context, bellcord.TurnID) (bellcord.Changes, error) {
	return bellcord.Changes{}, bellcord.ErrUndoOff
}

func (noUndo) Undo(context.Context, bellcord.UndoRequest) (bellcord.Undone, error) {
	return bellcord.Undone{}, bellcord.ErrUndoOff
}

func (noUndo) Redo(context.Context, bellcord.UndoRequest) (bellcord.Undone, error) {
	return bellcord.Undone{}, bellcord.ErrUndoOff
}

func (noUndo) Last(context.Context, bellcord.SessionID) (bellcord.Undoable, error) {
	return bellcord.Undoable{}, bellcord.ErrUndoOff
}
