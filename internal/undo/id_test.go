package undo_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo"
)

func TestUndo_InvalidID_IsRejectedWithAndWithoutPreview(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1"})
	turn, _ := s.command(func() { s.write("a", "2") })
	before := s.tree()
	q := undo.Request{Session: s.session, Turns: []bellcord.TurnID{turn}, Confirmed: true}
	for _, id := range []string{"../x", "a/b", "a b", "a\n", "lock", "LOCK", "ü", strings.Repeat("x", 65)} {
		for _, preview := range []bool{true, false} {
			q.ID, q.Preview = id, preview
			if u, err := s.recorder.Undo(t.Context(), q); !errors.Is(err, bellcord.ErrRejected) {
				t.Errorf("undo %q, preview %v: %+v, %v", id, preview, u, err)
			}
		}
	}
	if got := s.tree(); !maps.Equal(got, before) {
		t.Errorf("the files are %v, before %v", got, before)
	}
	first := s.undo(undo.Request{ID: "u-1", Turns: q.Turns, Confirmed: true})
	for _, id := range []string{"../x", "lock"} {
		for _, preview := range []bool{true, false} {
			q.ID, q.Preview = id, preview
			if u, err := s.recorder.Redo(t.Context(), q, first.Undo); !errors.Is(err, bellcord.ErrRejected) {
				t.Errorf("redo %q, preview %v: %+v, %v", id, preview, u, err)
			}
		}
	}
}
