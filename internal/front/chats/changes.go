package chats

import (
	"context"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plural"
)

// Undo lists, undoes and redoes the changes of turns to files.
type Undo interface {
	Changes(ctx context.Context, turn bellcord.TurnID) (bellcord.Changes, error)
	Undo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error)
	Redo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error)
	// Last returns what an undo and a redo without a name mean.
	Last(ctx context.Context, session bellcord.SessionID) (bellcord.Undoable, error)
}

// final is a message that can have the Undo button of a turn, such as the turn's
// last message. The chat's lock protects it.
type final struct {
	session  bellcord.SessionID
	turn     bellcord.TurnID
	message  ID   // "" until it is sent
	needed   bool // it is sent or will be sent
	text     *Text
	line     string // what the turn changed; below the text
	pending  bool   // the line may follow later
	undo     string // label of the Undo button; "" for none
	revision int    // counts the changes of the fields above
}

// finals are the last messages of turns, with the buttons for their changes.
type finals struct {
	*shared
	all  []*final  // of the newest turns
	last *farewell // the last stopped turn with held prompts
}

// mostFinals is how many finals a chat keeps. The Undo button of an older one stays
// in the chat and no longer applies.
const mostFinals = 8

// length returns the length of the line about changes, or its maximum while it is
// pending, in UTF-16 units.
func (m *final) length() int {
	const most = 100
	if m.pending {
		return most
	}
	return Units(m.line) + 1
}

// shown returns the message with the line and the button of the changes.
func (m *final) shown() Text {
	text := *m.text
	switch {
	case m.line != "" && text.Below != "":
		text.Below += "\n" + m.line
	case m.line != "":
		text.Below = m.line
	}
	if m.undo != "" {
		text.Buttons = append(slices.Clone(text.Buttons), []Button{{Text: m.undo, Data: "u:" + string(m.turn)}})
	}
	return text
}

// setChanges shows the changes of a turn. While they are pending, it shows nothing.
func (m *final) setChanges(c *bellcord.Changes) {
	if c == nil || c.Pending || c.IsEmpty() {
		return
	}
	m.line = "📝 Files: " + c.Text()
	switch files := c.Created + c.Changed + c.Deleted; {
	case files > c.NotKept:
		m.undo = undoLabel(files - c.NotKept)
	case files == 0 && len(c.Files) > 0:
		m.undo = "↩ Undo"
	}
}

func undoLabel(files int) string { return "↩ Undo (" + plural.Count(files, "file") + ")" }

// changesFiles reports whether an undo of a turn with these changes is possible now
// or later.
func changesFiles(c *bellcord.Changes) bool { return c != nil && (c.Pending || len(c.Files) > 0) }

// newFinal adds the last message of a turn, without its text. The caller holds the
// lock, here and in the functions below.
func (fs *finals) newFinal(t *turn, r bellcord.Receipt) *final {
	m := &final{session: t.session, turn: t.id, text: &Text{Place: fs.place}}
	m.pending = r.End == bellcord.EndLost || r.Changes != nil && r.Changes.Pending
	m.setChanges(r.Changes)
	fs.addFinal(m)
	return m
}

func (fs *finals) addFinal(m *final) {
	fs.all = append(fs.all, m)
	fs.all = fs.all[max(0, len(fs.all)-mostFinals):]
}

// withdrawUndo removes the Undo buttons of a session, because a later turn has
// changed files.
func (fs *finals) withdrawUndo(session bellcord.SessionID) {
	fs.removeUndo(func(m *final) bool { return m.session == session })
}

func (fs *finals) removeUndo(of func(*final) bool) {
	for _, m := range fs.all {
		if m.undo != "" && of(m) {
			m.undo = ""
			fs.revised(m)
		}
	}
}

// recordChanges adds the changes that were pending to the turn's last message.
func (fs *finals) recordChanges(session bellcord.SessionID, b bellcord.ChangesRecorded) {
	if changesFiles(&b.Changes) {
		fs.withdrawUndo(session)
	}
	for _, m := range fs.all {
		if m.turn == b.Turn && m.text != nil {
			m.setChanges(&b.Changes)
			fs.revised(m)
			return
		}
	}
}

// showUndone removes the Undo buttons of undone turns. An undo or a redo that was
// requested elsewhere is shown in one line.
func (fs *finals) showUndone(b bellcord.Undone) {
	if b.Redone == "" {
		fs.removeUndo(func(m *final) bool { return slices.Contains(b.Turns, m.turn) })
	}
	if b.Source == fs.front.Platform {
		return
	}
	by := ""
	switch {
	case b.By != "" && b.Source != "":
		by = " by " + b.By + ", " + b.Source
	case b.By != "" || b.Source != "":
		by = " by " + b.By + b.Source
	}
	fs.sendText(undoTitle(b, by))
}

// revised shows a final that has changed, and sends it if it was not needed before.
func (fs *finals) revised(m *final) {
	m.revision++
	fs.note()
	id := m.message
	switch {
	case m.text == nil: // an earlier process sent it
		fs.put(func(ctx context.Context) error { return fs.front.Messages.RemoveButtons(ctx, fs.place, id) })
	case id != "":
		fs.put(func(ctx context.Context) error {
			fs.mu.Lock()
			text := m.shown()
			fs.mu.Unlock()
			return fs.front.Messages.Edit(ctx, id, text)
		})
	case !m.needed && m.line != "":
		fs.sendFinal(m)
	}
}

// sendFinal sends a final that is no part of an answer.
func (fs *finals) sendFinal(m *final) {
	m.needed = true
	fs.put(func(ctx context.Context) error {
		return fs.deliverFinal(m, func(text Text) (ID, error) { return fs.front.Messages.Send(ctx, text) })
	})
}

// deliverFinal sends a final with send and stores the ID of the message. The caller
// does not hold the lock.
func (fs *finals) deliverFinal(m *final, send func(Text) (ID, error)) error {
	fs.mu.Lock()
	text, revision := m.shown(), m.revision
	fs.mu.Unlock()
	id, err := send(text)
	if err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	m.message = id
	if m.revision != revision { // it changed while it was sent
		fs.revised(m)
	}
	fs.note()
	return nil
}

// removeButtons removes the buttons of a message, except its Undo button. The
// caller does not hold the lock.
func (fs *finals) removeButtons(message ID) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, m := range fs.all {
		if m.message == message && m.text != nil {
			m.text.Buttons = nil
			fs.revised(m)
			return
		}
	}
	fs.put(func(ctx context.Context) error { return fs.front.Messages.RemoveButtons(ctx, fs.place, message) })
}
