package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bellcord/bellcord"
)

// keeper is a node that keeps the changes of one turn.
type keeper struct {
	turn bellcord.TurnID
	mu   sync.Mutex
	got  []bellcord.UndoRequest
}

func (k *keeper) undo(_ context.Context, q bellcord.UndoRequest) (bellcord.Undone, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if q.Turn != k.turn {
		return bellcord.Undone{}, bellcord.ErrNoChanges
	}
	k.got = append(k.got, q)
	return bellcord.Undone{Undo: q.ID, Turns: []bellcord.TurnID{q.Turn}, By: q.By, UndoResult: bellcord.UndoResult{Restored: 1, Files: []bellcord.UndoneFile{{Path: "a", Result: bellcord.UndoRestored}}}}, nil
}

func TestUndo_AnotherNodeKeepsTheBytes_IsCarriedOutThere(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	has, hasNot := &keeper{turn: "kept"}, &keeper{}
	a := s.join()
	b := s.join(func(with *setup) { with.Undo = hasNot.undo })
	c := s.join(func(with *setup) { with.Undo = has.undo })
	nodes := []string{a.id, b.id, "gone", c.id}
	u, err := a.Undo(inTime(t), nodes, bellcord.UndoRequest{ID: "one", Turn: "kept", Confirmed: true, Paths: []string{"a"}, By: "anna"})
	if err != nil || u.Restored != 1 || u.Undo != "one" || u.By != "anna" || len(u.Files) != 1 {
		t.Errorf("%+v, %v", u, err)
	}
	if len(has.got) != 1 || !has.got[0].Confirmed || len(has.got[0].Paths) != 1 {
		t.Errorf("the node received %+v", has.got)
	}
	if _, err := a.Undo(inTime(t), nodes, bellcord.UndoRequest{Turn: "other"}); !errors.Is(err, bellcord.ErrNoChanges) {
		t.Errorf("a turn that no node keeps: %v", err)
	}
}

// texts returns the changes of three long files and a short one, as the node keeps
// them.
func (k *keeper) texts(_ context.Context, turn bellcord.TurnID, path string) ([]bellcord.Change, error) {
	if turn != k.turn {
		return nil, bellcord.ErrNoChanges
	}
	var all []bellcord.Change
	for i := range 4 {
		text := strings.Repeat("x", 300_000)
		if i == 3 {
			text = "short"
		}
		if c := (bellcord.Change{Path: fmt.Sprint("/", i), New: text}); path == "" || c.Path == path {
			all = append(all, c)
		}
	}
	return all, nil
}

func TestTexts_AnotherNodeKeepsTheBytes_AreReadThere(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	has, hasNot := &keeper{turn: "kept"}, &keeper{}
	a := s.join()
	b := s.join(func(with *setup) { with.Texts = hasNot.texts })
	c := s.join(func(with *setup) { with.Texts = has.texts })
	nodes := []string{a.id, b.id, "gone", c.id}
	for _, path := range []string{"", "/2", "/none"} {
		want, _ := has.texts(t.Context(), "kept", path)
		got, err := a.Texts(inTime(t), nodes, "kept", path)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("of the path %q %d texts were returned, want %d: %v", path, len(got), len(want), err)
		}
	}
	if _, err := a.Texts(inTime(t), nodes, "other", ""); !errors.Is(err, bellcord.ErrNoChanges) {
		t.Errorf("a turn that no node keeps: %v", err)
	}
}
