package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

func TestOpen_NewerSchemaVersion_Fails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	reopen(t, dir)
	setVersion(t, dir, 999)
	for range 2 {
		s, err := sqlite.Open(t.Context(), dir)
		if err == nil {
			_ = s.Close()
			t.Fatal("it was opened")
		}
		for _, part := range []string{dir, "999", "newer"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the message %q does not say %q", err, part)
			}
		}
	}
	nothingIn(t, filepath.Join(dir, "nodes"))
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	setVersion(t, dir, 13+len(files)) // the original version
	reopen(t, dir)
}

func TestOpen_SchemaOlderThanTheFirst_IsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	reopen(t, dir)
	setVersion(t, dir, 13)
	_, err := sqlite.Open(t.Context(), dir)
	if err == nil || !strings.Contains(err.Error(), "schema version 13, which is too old") {
		t.Errorf("opening it: %v", err)
	}
}

func TestOpen_SpecialCharactersInPath_OpensDatabase(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a space", "quest?ion", "ha#sh", "per%41cent", "a&b=c", "ü漢", "deep/er/still"} {
		if runtime.GOOS == "windows" && strings.Contains(name, "?") {
			continue // Windows has no such names
		}
		dir := filepath.Join(t.TempDir(), name)
		reopen(t, dir)
		if _, err := os.Stat(filepath.Join(dir, "bellcord.db")); err != nil {
			t.Errorf("%q: the database is elsewhere: %v", name, err)
		}
	}
}

func TestOpen_PathIsAFile_Fails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := sqlite.Open(t.Context(), file); err == nil {
		_ = s.Close()
		t.Error("a file was opened as a directory")
	}
}

func TestClose_LastNode_RemovesLockFilesAndWriteAheadLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 3 {
		reopen(t, dir)
	}
	nothingIn(t, filepath.Join(dir, "nodes"))
	if _, err := os.Stat(filepath.Join(dir, "bellcord.db-wal")); err == nil {
		t.Error("the write-ahead log is still there")
	}
}

// reopen opens the store, writes a session and closes it.
func reopen(t *testing.T, dir string) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	put := store.PutSession{Session: bellcord.Session{ID: bellcord.NewSessionID()}}
	if _, err := s.Commit(context.Background(), []store.Op{put}); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func setVersion(t *testing.T, dir string, version int) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "bellcord.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(fmt.Sprint("PRAGMA user_version = ", version)); err != nil {
		t.Fatal(err)
	}
}

func nothingIn(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		t.Errorf("%s has %v, error %v", dir, entries, err)
	}
}
