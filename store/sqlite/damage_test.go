package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

const manyEvents = 1000

// written returns the directory of a closed store with one session that has many
// events.
func written(t *testing.T) (dir string, session bellcord.SessionID) {
	t.Helper()
	dir, session = t.TempDir(), bellcord.NewSessionID()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	bodies := make([]bellcord.Body, manyEvents)
	for i := range bodies {
		bodies[i] = bellcord.SessionUpdated{Title: strings.Repeat("some words of the session ", 8)}
	}
	_, err = s.Commit(context.Background(), []store.Op{
		store.PutSession{Session: bellcord.Session{ID: session}},
		store.AppendEvents{Session: session, Bodies: bodies, At: time.Now()},
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return dir, session
}

// damage overwrites the beginning of every page of the database with the text.
func damage(t *testing.T, dir, text string) {
	t.Helper()
	path := filepath.Join(dir, "bellcord.db")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	pages := 0
	for at := page; at+page <= len(data); at += page {
		if bytes.Contains(data[at:at+page], []byte(text)) {
			copy(data[at:], bytes.Repeat([]byte{0xff}, 16))
			pages++
		}
	}
	if err := os.WriteFile(path, data, 0o600); err != nil || pages == 0 {
		t.Fatalf("%d pages damaged, error %v", pages, err)
	}
}

func TestReadHistory_DamagedPages_ReturnsErrDamaged(t *testing.T) {
	t.Parallel()
	dir, session := written(t)
	damage(t, dir, "words of the session")
	historyFails(t, dir, session)
}

// Missing rows are reported like unreadable pages.
func TestReadHistory_MissingEvents_ReturnsErrDamaged(t *testing.T) {
	t.Parallel()
	for _, which := range []string{"seq = 1", "seq = 500", "seq BETWEEN 200 AND 600"} {
		dir, session := written(t)
		db, err := sql.Open("sqlite", filepath.Join(dir, "bellcord.db"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.ExecContext(t.Context(), `DELETE FROM events WHERE `+which)
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		historyFails(t, dir, session)
	}
}

func historyFails(t *testing.T, dir string, session bellcord.SessionID) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := history.Read(t.Context(), s, session); !errors.Is(err, bellcord.ErrDamaged) {
		t.Errorf("the history is read with %v", err)
	}
}
