package sqlite_test

import (
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// Changed reports only writes of other nodes. Otherwise a server with thousands
// of viewers would read all their sessions four times per second.
func TestChanged_OwnWrites_AreNotReported(t *testing.T) {
	t.Parallel()
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Changed(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := s.Commit(t.Context(), []store.Op{store.PutSession{Session: bellcord.Session{ID: bellcord.NewSessionID()}}}); err != nil {
			t.Fatal(err)
		}
		if changed, err := s.Changed(t.Context()); err != nil || changed {
			t.Errorf("news %v, %v", changed, err)
		}
	}
}
