package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// A missing or empty database is never silently replaced by a new one if any file
// of the old store remains.
func TestOpen_DatabaseMissingButOtherFilesRemain_ReturnsErrIdentity(t *testing.T) {
	t.Parallel()
	for _, remains := range []string{"store.id", "bellcord.db-wal", "token", "workspaces"} {
		for _, emptied := range []bool{false, true} {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, remains), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			if emptied {
				if err := os.WriteFile(filepath.Join(dir, "bellcord.db"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			refused(t, dir, remains, "store restore", "--new-store")
			if data, err := os.ReadFile(filepath.Join(dir, remains)); err != nil || string(data) != "x" {
				t.Errorf("%s: %q, error %v: the refusal changed it", remains, data, err)
			}
		}
	}
}

// An installation may create the directories before the first start.
func TestOpen_EmptyDirectoryExists_CreatesTheStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "workspaces"), 0o700); err != nil {
		t.Fatal(err)
	}
	reopen(t, dir)
	reopen(t, dir)
	if err := errors.Join(os.Remove(filepath.Join(dir, "bellcord.db")), os.Remove(filepath.Join(dir, "store.id")), os.Mkdir(filepath.Join(dir, "workspaces", "s"), 0o700)); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, "workspaces")
}

func TestOpenNew_DatabaseMissing_StartsEmptyAndKeepsOldFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	reopen(t, dir)
	if err := os.Remove(filepath.Join(dir, "bellcord.db")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bellcord.db-wal"), []byte("frames"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.OpenNew(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"bellcord.db-wal.old", "store.id.old"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	reopen(t, dir)
	if s, err := sqlite.OpenNew(t.Context(), dir); err == nil {
		_ = s.Close()
		t.Error("a store that is there was given up for an empty one")
	}
}

func TestOpen_DatabaseOfAnotherStore_ReturnsErrIdentity(t *testing.T) {
	t.Parallel()
	own, foreign := t.TempDir(), t.TempDir()
	reopen(t, own)
	reopen(t, foreign)
	copyFile(t, filepath.Join(foreign, "bellcord.db"), filepath.Join(own, "bellcord.db"))
	refused(t, own, "its id is", "store adopt")
}

func TestOpen_OlderCopyOfDatabase_ReturnsErrIdentity(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	reopen(t, dir)
	older := filepath.Join(t.TempDir(), "older")
	copyFile(t, filepath.Join(dir, "bellcord.db"), older)
	reopen(t, dir)
	copyFile(t, older, filepath.Join(dir, "bellcord.db"))
	refused(t, dir, "commits are missing", "store restore")
}

// A killed process leaves its last commits in the write-ahead log.
func TestOpen_WriteAheadLogDeleted_ReturnsErrIdentity(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	reopen(t, dir)
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	put(t, s)
	killed := t.TempDir() // the state after a kill
	for _, name := range []string{"bellcord.db", "store.id"} {
		copyFile(t, filepath.Join(dir, name), filepath.Join(killed, name))
	}
	refused(t, killed, "commits are missing", "bellcord.db-wal")
	copyFile(t, filepath.Join(dir, "bellcord.db-wal"), filepath.Join(killed, "bellcord.db-wal"))
	reopen(t, killed)
}

// A directory of a version without identities gets one.
func TestOpen_NoIdentityFile_CreatesIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	reopen(t, dir)
	if err := os.Remove(filepath.Join(dir, "store.id")); err != nil {
		t.Fatal(err)
	}
	reopen(t, dir)
	if data, err := os.ReadFile(filepath.Join(dir, "store.id")); err != nil || len(data) == 0 {
		t.Errorf("store.id: %q, error %v", data, err)
	}
}

// Data written to a deleted file would be lost at the next start.
func TestCommit_FileDeletedOrReplaced_ReturnsErrStoreLost(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps open files in their place")
	}
	for _, name := range []string{"bellcord.db", "bellcord.db-wal", "bellcord.db-shm"} {
		for _, replaced := range []bool{false, true} {
			dir := t.TempDir()
			s, err := sqlite.Open(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, name)
			if err := os.Rename(path, path+".away"); err != nil {
				t.Fatal(err)
			}
			if replaced {
				copyFile(t, path+".away", path)
			}
			_, err = s.Commit(t.Context(), []store.Op{store.PutSession{Session: bellcord.Session{ID: bellcord.NewSessionID()}}})
			if !errors.Is(err, bellcord.ErrStoreLost) {
				t.Errorf("%s, replaced %v: a commit is answered with %v", name, replaced, err)
			}
			if _, err := s.Changed(t.Context()); !errors.Is(err, bellcord.ErrStoreLost) {
				t.Errorf("%s, replaced %v: news %v", name, replaced, err)
			}
			if err := os.Rename(path+".away", path); err != nil {
				t.Fatal(err)
			}
			put(t, s) // the original file is back
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// refused opens the store and expects an error that contains each of the parts.
func refused(t *testing.T, dir string, parts ...string) {
	t.Helper()
	for range 2 { // the error must not change the files
		s, err := sqlite.Open(context.Background(), dir)
		if err == nil {
			_ = s.Close()
			t.Fatalf("%s was opened; expected an error with %q", dir, parts)
		}
		if !errors.Is(err, sqlite.ErrIdentity) {
			t.Errorf("error %v", err)
		}
		for _, part := range parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the message %q does not have %q", err, part)
			}
		}
	}
}

func put(t *testing.T, s *sqlite.Store) {
	t.Helper()
	op := store.PutSession{Session: bellcord.Session{ID: bellcord.NewSessionID()}}
	if _, err := s.Commit(context.Background(), []store.Op{op}); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
