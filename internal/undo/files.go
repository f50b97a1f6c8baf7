package undo

import (
	"context"
	"errors"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Files lists, undoes and redoes the changes of turns for frontends. The caller
// checks who may do so.
type Files struct {
	Recorder *Recorder // nil if undo is off
	Store    store.Reader
}

// Changes returns what a turn has changed: as this machine keeps it, otherwise as
// the log has it. Changes.Pending is set while it is being determined.
func (f Files) Changes(ctx context.Context, turn bellcord.TurnID) (bellcord.Changes, error) {
	record, session, err := f.find(ctx, turn)
	if err != nil {
		return bellcord.Changes{}, err
	}
	if f.Recorder != nil {
		if c, err := f.Recorder.Changes(ctx, session, turn); err == nil {
			return c, nil
		}
	}
	if record.Receipt == nil {
		return bellcord.Changes{Pending: true}, nil
	}
	logged, err := loggedChanges(ctx, f.Store, record)
	if err != nil || logged == nil {
		return bellcord.Changes{}, err
	}
	return *logged, nil
}

// loggedChanges returns the last changes of a turn in the log, or nil if it has
// none.
func loggedChanges(ctx context.Context, kept store.Reader, t store.TurnRecord) (*bellcord.Changes, error) {
	var logged *bellcord.Changes
	if t.Receipt != nil {
		logged = t.Receipt.Changes
	}
	err := store.EachEvent(ctx, kept, t.Session, t.FirstSeq, func(ev bellcord.Event) bool {
		if b, is := ev.Body.(bellcord.ChangesRecorded); is && b.Turn == t.ID {
			logged = &b.Changes
		}
		return true
	})
	return logged, err
}

// IsRecorded reports whether the log has the changes of a turn, or no longer has
// the turn.
func IsRecorded(ctx context.Context, store store.Reader, turn bellcord.TurnID) (bool, error) {
	record, err := store.Turn(ctx, turn)
	if errors.Is(err, bellcord.ErrNoTurn) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if r := record.Receipt; r != nil && r.Changes != nil && !r.Changes.Pending {
		return true, nil
	}
	logged, err := loggedChanges(ctx, store, record)
	return logged != nil && !logged.Pending, err
}

// Texts returns the changes of a turn to text files, of all or of one path, for
// display.
func (f Files) Texts(ctx context.Context, turn bellcord.TurnID, path string) ([]bellcord.Change, error) {
	_, session, err := f.find(ctx, turn)
	if err != nil {
		return nil, err
	}
	return f.Recorder.Texts(ctx, session, turn, path)
}

// Undo undoes the changes of a turn. It returns ErrTurnRunning while a turn of the
// session is running.
func (f Files) Undo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	_, session, err := f.find(ctx, q.Turn)
	if err == nil && !q.Preview {
		err = store.CheckIdle(ctx, f.Store, session.ID)
	}
	if err != nil {
		return bellcord.Undone{}, err
	}
	return f.Recorder.Undo(ctx, request(q, session))
}

// Redo reverses an undo. It returns ErrTurnRunning while a turn of the session is
// running.
func (f Files) Redo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	session, err := f.Store.Session(ctx, q.Session)
	if err == nil && !q.Preview {
		err = store.CheckIdle(ctx, f.Store, session.ID)
	}
	if err != nil {
		return bellcord.Undone{}, err
	}
	return f.Recorder.Redo(ctx, request(q, session), q.Undo)
}

func request(q bellcord.UndoRequest, s bellcord.Session) Request {
	r := Request{ID: q.ID, Session: s, Paths: q.Paths, Confirmed: q.Confirmed, Preview: q.Preview, By: q.By, Source: q.Source}
	if q.Turn != "" {
		r.Turns = []bellcord.TurnID{q.Turn}
	}
	return r
}

func (f Files) find(ctx context.Context, turn bellcord.TurnID) (store.TurnRecord, bellcord.Session, error) {
	record, err := f.Store.Turn(ctx, turn)
	if err != nil {
		return record, bellcord.Session{}, err
	}
	session, err := f.Store.Session(ctx, record.Session)
	return record, session, err
}

// Last returns what an undo and a redo without a name mean in a session.
func (f Files) Last(ctx context.Context, session bellcord.SessionID) (bellcord.Undoable, error) {
	var l last
	err := store.EachEvent(ctx, f.Store, session, 0, func(ev bellcord.Event) bool {
		l.read(ev)
		return true
	})
	if err != nil {
		return bellcord.Undoable{}, err
	}
	turn, err := f.lastOf(ctx, l.turns)
	return l.undoable(turn), err
}

// lastOf returns the last of the turns that has changed files.
func (f Files) lastOf(ctx context.Context, turns []changedTurn) (bellcord.TurnID, error) {
	for _, t := range slices.Backward(turns) {
		if t.isKnown {
			return t.id, nil
		}
		c, err := f.Changes(ctx, t.id)
		if err != nil {
			return "", err
		}
		if c.Pending || len(c.Files) > 0 {
			return t.id, nil
		}
	}
	return "", nil
}
