package undo_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo"
	"github.com/bellcord/bellcord/store"
)

// undosOnly is a store with one session, in which nothing but undos was recorded.
type undosOnly struct {
	store.Store
	bodies []bellcord.Undone
}

func (s undosOnly) Tail(context.Context, bellcord.SessionID) (int64, error) {
	return int64(len(s.bodies)), nil
}

func (s undosOnly) Events(_ context.Context, id bellcord.SessionID, after int64, _ int) (all []bellcord.Event, err error) {
	for i, b := range s.bodies[after:] {
		seq := after + int64(i) + 1
		all = append(all, bellcord.Event{Session: id, Seq: seq, Time: time.Unix(seq, 0), Body: b})
	}
	return all, nil
}

func TestLast_UndosAndARedo_HasTheLastUndoWithItsTurnsAndTime(t *testing.T) {
	t.Parallel()
	restored := bellcord.UndoResult{Restored: 1}
	files := undo.Files{Store: undosOnly{bodies: []bellcord.Undone{
		{Undo: "1", Turns: []bellcord.TurnID{"a"}, UndoResult: restored},
		{Undo: "2", Turns: []bellcord.TurnID{"b"}, UndoResult: restored},
		{Undo: "3", Turns: []bellcord.TurnID{"b"}, Redone: "2", UndoResult: restored},
	}}}
	last, err := files.Last(t.Context(), "s")
	want := bellcord.Undoable{Turn: "b", Undo: "1", UndoneTurns: []bellcord.TurnID{"a"}, UndoneAt: time.Unix(1, 0)}
	if err != nil || !reflect.DeepEqual(last, want) {
		t.Errorf("got %+v, %v", last, err)
	}
}
