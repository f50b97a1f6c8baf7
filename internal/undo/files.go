package undo

import (
	"context"
	"slices"

	"github.com/bellcord/bellcord"
)

// Files lists, undoes and redoes the changes of turns for frontends. The caller
// checks who may do so.
type Files struct {
	Recorder *Recorder // nil if undo is off
	Store    bellcord.Reader
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
	var logged *bellcord.Changes
	err = bellcord.EachEvent(ctx, f.Store, session.ID, record.FirstSeq, func(ev bellcord.Event) bool {
		if b, is := ev.Body.(bellcord.ChangesRecorded); is && b.Turn == turn {
			logged = &b.Changes
		}
		return true
	})
	switch {
	case err != nil:
		return bellcord.Changes{}, err
	case logged != nil:
		return *logged, nil
	case record.Receipt.Changes != nil:
		return *record.Receipt.Changes, nil
	}
	return bellcord.Changes{}, nil
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
		err = bellcord.CheckIdle(ctx, f.Store, session.ID)
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
		err = bellcord.CheckIdle(ctx, f.Store, session.ID)
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

func (f Files) find(ctx context.Context, turn bellcord.TurnID) (bellcord.TurnRecord, bellcord.Session, error) {
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
	err := bellcord.EachEvent(ctx, f.Store, session, 0, func(ev bellcord.Event) bool {
		l.read(ev)
		return true
	})
	return bellcord.Undoable{Turn: l.turn(), Undo: l.undo()}, err
}

// last finds the last turn that can be undone, and the last undo.
type last struct {
	turns []bellcord.TurnID // that changed files, without those that are undone
	undos []bellcord.Undone // that are not reversed
}

func (l *last) read(ev bellcord.Event) {
	switch b := ev.Body.(type) {
	case bellcord.TurnEnded:
		if c := b.Receipt.Changes; c != nil && (c.Pending || len(c.Files) > 0) {
			l.turns = append(l.turns, ev.Turn)
		}
	case bellcord.ChangesRecorded:
		l.turns = without(l.turns, b.Turn)
		if len(b.Changes.Files) > 0 {
			l.turns = append(l.turns, b.Turn)
		}
	case bellcord.Undone:
		for _, t := range b.Turns {
			l.turns = without(l.turns, t)
		}
		if b.Redone == "" {
			l.undos = append(l.undos, b)
			return
		}
		l.turns = append(l.turns, b.Turns...)
		l.undos = slices.DeleteFunc(l.undos, func(u bellcord.Undone) bool { return u.Undo == b.Redone })
	}
}

func without(turns []bellcord.TurnID, turn bellcord.TurnID) []bellcord.TurnID {
	return slices.DeleteFunc(turns, func(t bellcord.TurnID) bool { return t == turn })
}

func (l *last) turn() bellcord.TurnID {
	if len(l.turns) == 0 {
		return ""
	}
	return l.turns[len(l.turns)-1]
}

func (l *last) undo() string {
	if len(l.undos) == 0 {
		return ""
	}
	return l.undos[len(l.undos)-1].Undo
}
