package chats

import (
	"cmp"
	"context"
	"errors"
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
func (fs *finals) expire(message ID) {
	fs.mu.Lock()
	fs.removeUndo(func(m *final) bool { return m.message == message })
	known := slices.ContainsFunc(fs.all, func(m *final) bool { return m.message == message })
	fs.mu.Unlock()
	if !known {
		fs.removeButtons(message)
	}
}

// applies reports whether a button still applies. The log decides, so that it does
// not matter which process has sent the button.
func (fs *finals) applies(ctx context.Context, p undoPress) (bool, error) {
	if p.kind == "u" {
		last, err := fs.front.Undo.Last(ctx, p.session)
		return last.Turn == p.turn, err
	}
	changed, latest, undos := false, "", 0
	err := fs.eachEvent(ctx, p.session, p.after, func(ev bellcord.Event) bool {
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
func (fs *finals) previewUndo(ctx context.Context, session bellcord.SessionID, turn bellcord.TurnID) (string, [][]Button) {
	tail, err := fs.front.Hub.Tail(ctx, session)
	if err != nil {
		return fs.apology(err.Error()), nil
	}
	u, err := fs.front.Undo.Undo(ctx, bellcord.UndoRequest{Turn: turn, Preview: true, Confirmed: true})
	switch {
	case err != nil:
		return fs.undoProblem(err), nil
	case u.Restored == 0:
		return "Nothing can be undone.\n\n" + fs.undoneList(u, true), nil
	}
	data := fmt.Sprintf("%s:%d", turn, tail)
	return "↩ Undo these changes?\n\n" + fs.undoneList(u, true), [][]Button{{
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
func (fs *finals) redo(ctx context.Context, p undoPress) {
	u, err := fs.front.Undo.Redo(ctx, bellcord.UndoRequest{
		ID: p.redoID(), Undo: p.undoID(), Session: p.session, Confirmed: true, By: p.by, Source: fs.front.Platform,
	})
	if err != nil {
		fs.sendText(fs.undoProblem(err))
		return
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	m := fs.redoFinal(u, p.session)
	m.message, m.needed = p.Message, true
	fs.revised(m)
}

// redoFinal returns the message about a redo. The caller holds the lock.
func (fs *finals) redoFinal(u bellcord.Undone, session bellcord.SessionID) *final {
	m := &final{session: session, text: &Text{Place: fs.place, Text: fs.undoResult(u)}}
	if u.Restored > 0 && len(u.Turns) == 1 {
		m.turn, m.undo = u.Turns[0], undoLabel(u.Restored)
	}
	fs.addFinal(m)
	return m
}

// undoCommand answers /changes, /undo and /redo.
func (fs *finals) undoCommand(ctx context.Context, what verb, s incoming) (string, [][]Button) {
	session := fs.currentSession()
	if session == "" {
		return "There is no session yet, so there are no changes.", nil
	}
	last, err := fs.front.Undo.Last(ctx, session)
	if what == undo && s.text != "" && err == nil {
		return fs.undoTurn(ctx, session, s.text)
	}
	switch {
	case err != nil:
		return fs.undoProblem(err), nil
	case what == redo && last.Undo == "":
		return "There is nothing to redo.", nil
	case what == redo:
		return fs.redoLast(ctx, session, last.Undo, s), nil
	case last.Turn == "":
		return "No turn of this session has changes that can be undone.", nil
	case what == undo:
		return fs.previewUndo(ctx, session, last.Turn)
	}
	return fs.showChanges(ctx, session, last.Turn), nil
}

// undoTurn answers /undo with the id of a turn, or a part of it.
func (fs *finals) undoTurn(ctx context.Context, session bellcord.SessionID, word string) (string, [][]Button) {
	turns, err := fs.sessionTurns(ctx, session)
	if err != nil {
		return fs.undoProblem(err), nil
	}
	turn, paths, err := rewind.SplitTurn(strings.Fields(word), turns.Started())
	switch {
	case err != nil:
		return refusal(err), nil
	case turn == "" || len(paths) > 0:
		return "No turn of this session has the id " + word + ". Send /rewind to see the turns.", nil
	}
	return fs.previewUndo(ctx, session, turn)
}

// redoLast reverses an undo, which any front may have requested.
func (fs *finals) redoLast(ctx context.Context, session bellcord.SessionID, id string, s incoming) string {
	u, err := fs.front.Undo.Redo(ctx, bellcord.UndoRequest{
		ID: bellcord.NamedID("redo " + string(s.turn)), Undo: id, Session: session, Confirmed: true, By: s.by, Source: fs.front.Platform,
	})
	if err != nil {
		return fs.undoProblem(err)
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.sendFinal(fs.redoFinal(u, session))
	return ""
}

// showChanges sends the list of a turn's changes, with an Undo button.
func (fs *finals) showChanges(ctx context.Context, session bellcord.SessionID, turn bellcord.TurnID) string {
	all, err := fs.front.Undo.Changes(ctx, turn)
	if err != nil {
		return fs.undoProblem(err)
	}
	text := fit(fs.front.Limits.question(), len(all.Files), func(n int) string {
		cut := all
		cut.Files, cut.More = all.Files[:n], all.More+len(all.Files)-n
		return line.Changes(cut)
	})
	fs.mu.Lock()
	defer fs.mu.Unlock()
	m := &final{session: session, turn: turn, text: &Text{Place: fs.place, Text: text}}
	m.setChanges(&all)
	fs.addFinal(m)
	fs.sendFinal(m)
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

// undoTitle returns the first line about an undo or a redo.
func undoTitle(u bellcord.Undone, by string) string {
	if u.Redone != "" {
		return "↪ Redone" + by + ": " + u.UndoResult.Text()
	}
	return "↩ Undone" + by + ": " + u.UndoResult.Text()
}

// undoResult returns the text about an undo or a redo, with the paths that were not
// restored.
func (sh *shared) undoResult(u bellcord.Undone) string {
	text := undoTitle(u, "")
	u.Files = slices.DeleteFunc(slices.Clone(u.Files), func(f bellcord.UndoneFile) bool {
		return f.Result == bellcord.UndoRestored || f.Result == bellcord.UndoAlready
	})
	if len(u.Files) == 0 {
		return text
	}
	return text + "\n\n" + sh.undoneList(u, false)
}

// undoneList returns what an undo does with each path, conflicts first. A list that
// does not fit into a message is cut.
func (sh *shared) undoneList(u bellcord.Undone, preview bool) string {
	files := slices.SortedStableFunc(slices.Values(u.Files), func(a, b bellcord.UndoneFile) int {
		return cmp.Compare(order(a.Result), order(b.Result))
	})
	more := u.More
	return fit(sh.front.Limits.question(), len(files), func(n int) string {
		u.Files, u.More = files[:n], more+len(files)-n
		return line.Undone(u, preview)
	})
}

func order(o bellcord.UndoOutcome) int {
	return slices.Index([]bellcord.UndoOutcome{bellcord.UndoConflict, bellcord.UndoNotKept, bellcord.UndoSkipped, bellcord.UndoLate, bellcord.UndoRestored, bellcord.UndoAlready}, o)
}

// fit returns text(n) for the largest n, up to all, with at most that many units.
func fit(most, all int, text func(n int) string) string {
	for n := all; ; n-- {
		switch s := strings.TrimSpace(text(n)); {
		case Units(s) <= most:
			return s
		case n == 0:
			return Split(s, most)[0] + "…"
		}
	}
}

// undoProblem returns the message for an error of an undo or a rewind.
func (sh *shared) undoProblem(err error) string {
	for _, known := range []error{bellcord.ErrUndoOff, bellcord.ErrNoChanges, bellcord.ErrNoUndo, bellcord.ErrPathUnchanged, bellcord.ErrTurnRunning, bellcord.ErrNoRewind, bellcord.ErrNotInConversation} {
		if errors.Is(err, known) {
			return refusal(known)
		}
	}
	sh.logger().Error("undo or rewind failed", "err", err)
	return sh.apology(err.Error())
}

// refusal returns an error as a message of one sentence.
func refusal(err error) string {
	text := err.Error()
	return "✗ " + strings.ToUpper(text[:1]) + text[1:] + "."
}
