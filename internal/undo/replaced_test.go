package undo_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo"
)

// Another session can work in the directory around this one's, and replace it: an undo
// must not write where the path leads then.
func TestUndo_DirectoryReplaced_ChangesNothingThere(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(dir, victim string) error{
		"by a link":            func(dir, victim string) error { return os.Symlink(victim, dir) },
		"by another directory": func(dir, victim string) error { return os.Rename(victim, dir) },
		"by nothing":           func(string, string) error { return nil },
	} {
		for _, isFresh := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, map[string]string{"f": "EVIL"})
				turn, _ := s.command(func() { s.write("f", "VICTIM"); s.write("created", "VICTIM") })
				victim := t.TempDir()
				before := map[string]string{"f": "VICTIM", "created": "VICTIM"}
				for name, text := range before {
					if err := os.WriteFile(filepath.Join(victim, name), []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if err := errors.Join(os.Rename(s.dir, s.dir+".away"), replace(s.dir, victim)); err != nil {
					t.Fatal(err)
				}
				if isFresh {
					if err := s.recorder.Close(); err != nil {
						t.Fatal(err)
					}
					s.open(t.TempDir())
				}
				for _, isPreview := range []bool{true, false} {
					u, err := s.recorder.Undo(t.Context(), undo.Request{Session: s.session, Turns: []bellcord.TurnID{turn}, Confirmed: true, Preview: isPreview})
					if !errors.Is(err, bellcord.ErrNoChanges) {
						t.Errorf("preview %v: %+v, %v", isPreview, u, err)
					}
				}
				switch name {
				case "by nothing":
					return
				case "by a link":
					s.dir = victim
				}
				if !maps.Equal(s.tree(), before) {
					t.Errorf("now there is %v", s.tree())
				}
			})
		}
	}
}
