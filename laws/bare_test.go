package laws_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// bareStage opens a hub with the given agent. Call it in a synctest bubble.
func bareStage(t *testing.T, agent hub.Agent, opts hub.Options) *stage {
	t.Helper()
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, dir: dir, home: filed(dir), store: &gate{Store: store}, grew: make(chan struct{})}
	if s.Hub, err = hub.Open(t.Context(), s.store, agent, opts); err != nil {
		t.Fatal(err)
	}
	made, err := s.NewSession(t.Context(), bellcord.Session{Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	s.session = made.ID
	t.Cleanup(func() {
		s.store.open()
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// stopFromOutside stops a turn as another process with the same store does:
// only by recording the stop.
func (s *stage) stopFromOutside(id bellcord.TurnID) {
	s.t.Helper()
	cause := by
	cause.Kind, cause.At = bellcord.CausePerson, time.Now()
	other, err := s.home(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	results, err := other.Commit(s.t.Context(), []store.Op{store.RecordStop{Turn: id, Cause: cause}})
	if err = errors.Join(err, other.Close()); err != nil || results[0].Err != nil {
		s.t.Fatal(err, results)
	}
}

// textOf returns the answer as it is stored.
func (s *stage) textOf(id bellcord.TurnID) string {
	var text strings.Builder
	for _, b := range s.bodies(id) {
		if delta, is := b.(bellcord.TextDelta); is {
			text.WriteString(delta.Text)
		}
	}
	return text.String()
}
