package backend

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// undone is a backend with two sessions. In a, the last turn is older than in b, and
// the last undo is later.
type undone struct {
	Backend
	a, b         bellcord.SessionID
	turnA, turnB bellcord.TurnID
}

func newUndone() undone {
	return undone{
		a: bellcord.NewSessionID(), turnA: bellcord.NewTurnID(),
		b: bellcord.NewSessionID(), turnB: bellcord.NewTurnID(),
	}
}

func (u undone) Receipts(context.Context, store.ReceiptQuery) ([]bellcord.Receipt, error) {
	files := &bellcord.Changes{Files: []bellcord.FileChange{{Path: "x"}}}
	return []bellcord.Receipt{
		{Turn: u.turnB, Session: u.b, Changes: files}, {Turn: u.turnA, Session: u.a, Changes: files},
	}, nil
}

func (u undone) Receipt(_ context.Context, turn bellcord.TurnID) (*bellcord.Receipt, error) {
	switch turn {
	case u.turnA:
		return &bellcord.Receipt{Turn: turn, Session: u.a}, nil
	case u.turnB:
		return &bellcord.Receipt{Turn: turn, Session: u.b}, nil
	}
	return nil, bellcord.ErrNoTurn
}

func (u undone) Session(_ context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	if id != u.a && id != u.b {
		return bellcord.Session{}, bellcord.ErrNoSession
	}
	return bellcord.Session{ID: id, Dir: "/elsewhere"}, nil
}

func (u undone) Sessions(context.Context, string) ([]bellcord.Session, string, error) {
	return []bellcord.Session{{ID: u.a}, {ID: u.b}}, "", nil
}

func (u undone) Turns(context.Context) ([]api.Turn, error) { return nil, nil }

func (u undone) Undoable(_ context.Context, session bellcord.SessionID) (bellcord.Undoable, error) {
	if session == u.a {
		return bellcord.Undoable{Undo: "late", UndoneTurns: []bellcord.TurnID{u.turnA}, UndoneAt: time.Unix(20, 0)}, nil
	}
	return bellcord.Undoable{Undo: "early", UndoneTurns: []bellcord.TurnID{"another"}, UndoneAt: time.Unix(10, 0)}, nil
}

func TestFindUndo_WithoutAName_IsTheLastUndoAndNotThatOfTheLastTurn(t *testing.T) {
	t.Parallel()
	u := newUndone()
	if session, undo, err := FindUndo(t.Context(), u, ""); err != nil || session != u.a || undo != "late" {
		t.Errorf("got %s %s %v, want the later undo", session, undo, err)
	}
}

func TestFindUndo_Turn_IsItsUndoIfThatIsTheLastOfTheSession(t *testing.T) {
	t.Parallel()
	u := newUndone()
	if session, undo, err := FindUndo(t.Context(), u, string(u.turnA)); err != nil || session != u.a || undo != "late" {
		t.Errorf("got %s %s %v, want the undo of the turn", session, undo, err)
	}
	_, _, err := FindUndo(t.Context(), u, string(u.turnB))
	want := fmt.Sprintf("the last undo of session %s is not that of turn %s", u.b, u.turnB)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	if _, _, err := FindUndo(t.Context(), u, string(bellcord.NewTurnID())); err == nil {
		t.Error("an unknown turn has an undo")
	}
}
