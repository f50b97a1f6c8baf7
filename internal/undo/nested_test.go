//go:build linux

package undo_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo"
)

// An undo of a session leaves alone what a session in a directory inside wrote.
func TestLawU11_AnotherSessionInADirectoryInside_ItsFilesStay(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"top": "one", "sub/x": "one"})
	inner := bellcord.Session{ID: bellcord.NewSessionID(), Dir: filepath.Join(s.dir, "sub")}
	id, _ := s.command(func() {
		r := &receipt{}
		turn := s.recorder.Turn(inner, bellcord.NewTurnID(), r)
		if err := turn.Before(t.Context(), "call", false); err != nil {
			t.Fatal(err)
		}
		s.write("sub/x", "B")
		s.write("sub/new", "B")
		turn.After("call")
		turn.Close()
		r.last(t)
		s.write("top", "A")
	})
	u := s.undo(undo.Request{Turns: []bellcord.TurnID{id}, Confirmed: true})
	if u.Restored != 1 || u.Skipped != 2 {
		t.Errorf("%+v", u)
	}
	if got := s.tree(); got["top"] != "one" || got["sub/x"] != "B" || got["sub/new"] != "B" {
		t.Errorf("%v", got)
	}
}

// A call of a dead process in a directory around the session's is recovered before a
// call begins: otherwise it would dispute every change.
func TestTurn_ProcessDiedInADirectoryAround_ChangesAreNotDisputed(t *testing.T) {
	r := newRuin(t)
	s := &stage{t: t, dir: filepath.Join(r.dir, "sub"), session: bellcord.Session{ID: bellcord.NewSessionID()}}
	s.session.Dir = s.dir
	s.write("x", "1")
	r.dies(t, "call")
	slow, goOn := make(chan bool, 1), make(chan bool)
	undo.SetCut(func(point string) {
		if point == "opened" {
			select {
			case slow <- true: // the recovery in the background
				<-goOn
			default:
			}
		}
	})
	s.recorder = r.recorder()
	s.recorder.Recover(s.recorder.Interrupted())
	for len(slow) == 0 {
		runtime.Gosched()
	}
	_, changes := s.command(func() { s.write("x", "2") })
	if len(changes.Files) != 1 || changes.Files[0].Certainty != bellcord.ChangeDuring {
		t.Errorf("%+v", changes.Files)
	}
	close(goOn)
	if err := s.recorder.Close(); err != nil {
		t.Error(err)
	}
	undo.SetCut(func(string) {})
}
