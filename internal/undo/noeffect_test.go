package undo_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo"
)

func TestUndo_NothingIsRestored_IsNotRecorded(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1"})
	id, _ := s.command(func() { s.write("a", "2") })
	turns := []bellcord.TurnID{id}
	if u := s.undo(undo.Request{Turns: turns}); u.Restored != 0 || u.Skipped != 1 {
		t.Errorf("without a confirmation: %+v", u)
	}
	if len(s.undone) > 0 {
		t.Errorf("recorded: %+v", s.undone)
	}
	s.write("a", "3")
	if u := s.undo(undo.Request{Turns: turns, Confirmed: true}); u.Restored != 0 || u.Conflicts != 1 {
		t.Errorf("with a conflict: %+v", u)
	}
	s.write("a", "2")
	first := s.undo(undo.Request{Turns: turns, Confirmed: true})
	if again := s.undo(undo.Request{Turns: turns, Confirmed: true}); again.Restored != 0 || again.Already != 1 {
		t.Errorf("again: %+v", again)
	}
	if len(s.undone) != 1 || s.undone[0].Undo != first.Undo || s.tree()["a"] != "1" {
		t.Errorf("recorded: %+v, the files: %v", s.undone, s.tree())
	}
}

func TestUndo_PathThatTheTurnDidNotChange_IsAnError(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1", "b": "1"})
	id, _ := s.command(func() { s.write("a", "2"); s.write("dir/c", "1") })
	for _, paths := range [][]string{{"nope"}, {"../x"}, {"b"}, {"b", "nope"}, {"/etc/passwd"}} {
		for _, preview := range []bool{true, false} {
			_, err := s.recorder.Undo(t.Context(), undo.Request{Session: s.session, Turns: []bellcord.TurnID{id}, Paths: paths, Confirmed: true, Preview: preview})
			if !errors.Is(err, bellcord.ErrPathUnchanged) {
				t.Errorf("%q: %v", paths, err)
			}
		}
	}
	if u := s.undo(undo.Request{Turns: []bellcord.TurnID{id}, Paths: []string{"dir", "b"}, Confirmed: true}); u.Restored != 2 {
		t.Errorf("a directory with changes: %+v", u)
	}
}

func TestUndo_IDOfAnotherRequest_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1", "b": "1"})
	first, _ := s.command(func() { s.write("a", "2"); s.write("b", "2") })
	other := bellcord.Session{ID: bellcord.NewSessionID(), Dir: s.dir}
	q := undo.Request{ID: "1", Session: s.session, Turns: []bellcord.TurnID{first}, Paths: []string{"a"}, Confirmed: true}
	done, err := s.recorder.Undo(t.Context(), q)
	if err != nil || done.Restored != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	if again, err := s.recorder.Undo(t.Context(), q); err != nil || again.Undo != done.Undo || again.Restored != 1 {
		t.Errorf("the same request: %+v, %v", again, err)
	}
	second, _ := s.command(func() { s.write("c", "1") })
	for name, change := range map[string]func(*undo.Request){
		"session": func(q *undo.Request) { q.Session = other },
		"turn":    func(q *undo.Request) { q.Turns = []bellcord.TurnID{second} },
		"paths":   func(q *undo.Request) { q.Paths = []string{"b"} },
	} {
		q := q
		change(&q)
		if u, err := s.recorder.Undo(t.Context(), q); !errors.Is(err, bellcord.ErrUndoExists) || len(u.Files) > 0 {
			t.Errorf("another %s: %+v, %v", name, u, err)
		}
	}
	if u, err := s.recorder.Redo(t.Context(), undo.Request{ID: "1", Session: s.session}, done.Undo); !errors.Is(err, bellcord.ErrUndoExists) {
		t.Errorf("a redo with the id of the undo: %+v, %v", u, err)
	}
}

func TestUndo_PlanCannotBeWritten_SameRequestUndoesLater(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1"})
	place := t.TempDir()
	s.open(place)
	id, _ := s.command(func() { s.write("a", "2") })
	q := undo.Request{ID: "1", Session: s.session, Turns: []bellcord.TurnID{id}, Confirmed: true}
	undos, err := filepath.Glob(filepath.Join(place, "*", "undos"))
	if err != nil || len(undos) != 1 {
		t.Fatal(undos, err)
	}
	obstacle := filepath.Join(undos[0], "1")
	if err := os.WriteFile(obstacle, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.recorder.Undo(t.Context(), q); err == nil || s.tree()["a"] != "2" {
		t.Fatalf("%v, the files: %v", err, s.tree())
	}
	if err := os.Remove(obstacle); err != nil {
		t.Fatal(err)
	}
	if u, err := s.recorder.Undo(t.Context(), q); err != nil || u.Restored != 1 || s.tree()["a"] != "1" {
		t.Errorf("%+v, %v, the files: %v", u, err, s.tree())
	}
}

// A failed undo of changes that need a confirmation is repeated only with one.
func TestUndo_FailedHalfWay_UnconfirmedRequestDoesNotCompleteIt(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1", "b": "1"})
	place := t.TempDir()
	s.open(place)
	id, _ := s.command(func() { s.write("a", "2"); s.write("b", "2") })
	q := undo.Request{ID: "1", Session: s.session, Turns: []bellcord.TurnID{id}, Confirmed: true}
	s.failHalfWay(place, q)
	q.ID, q.Confirmed = "2", false
	if u, err := s.recorder.Undo(t.Context(), q); err != nil || u.Restored != 0 || u.Skipped != 2 || s.tree()["a"] != "2" {
		t.Errorf("not confirmed: %+v, %v, the files: %v", u, err, s.tree())
	}
	q.ID, q.Confirmed = "3", true
	if u, err := s.recorder.Undo(t.Context(), q); err != nil || u.Undo != "1" || u.Restored != 2 || s.tree()["a"] != "1" {
		t.Errorf("confirmed: %+v, %v, the files: %v", u, err, s.tree())
	}
}

// failHalfWay lets an undo fail after it has recorded its plan: a directory is at the
// place of its result.
func (s *stage) failHalfWay(place string, q undo.Request) {
	s.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(place, "*", "undos"))
	if err != nil || len(dirs) != 1 {
		s.t.Fatal(dirs, err)
	}
	obstacle := filepath.Join(dirs[0], q.ID, "done")
	if err := os.MkdirAll(filepath.Join(obstacle, "x"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.recorder.Undo(s.t.Context(), q); err == nil {
		s.t.Fatal("the undo has not failed")
	}
	if err := os.RemoveAll(obstacle); err != nil {
		s.t.Fatal(err)
	}
}
