package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

func TestCheck_IntactStore_ReportsCountsAndNoProblems(t *testing.T) {
	t.Parallel()
	dir, _ := written(t)
	report, err := sqlite.Check(t.Context(), dir)
	if err != nil || len(report.Problems) > 0 || report.Sessions != 1 || report.Events != manyEvents {
		t.Errorf("report %+v, error %v", report, err)
	}
}

func TestCheck_DamagedPages_ReportsProblems(t *testing.T) {
	t.Parallel()
	dir, _ := written(t)
	damage(t, dir, "words of the session")
	report, err := sqlite.Check(t.Context(), dir)
	if err != nil || len(report.Problems) == 0 {
		t.Errorf("report %+v, error %v", report, err)
	}
}

func TestRestore_Backup_RestoresEventsAndKeepsOldFile(t *testing.T) {
	t.Parallel()
	dir, session := written(t)
	file := filepath.Join(t.TempDir(), "backup.db")
	if err := sqlite.Backup(t.Context(), dir, file); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the backup has the mode %v, error %v", info.Mode(), err)
	}
	if err := sqlite.Backup(t.Context(), dir, file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second backup into the file: %v", err)
	}
	damage(t, dir, "words of the session")
	old, err := sqlite.Restore(t.Context(), dir, file)
	if err != nil || old != filepath.Join(dir, "bellcord.db.old") {
		t.Fatalf("restored, old file %q, error %v", old, err)
	}
	if _, err := os.Stat(old); err != nil {
		t.Error(err)
	}
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if last, err := s.Tail(t.Context(), session); err != nil || last != manyEvents {
		t.Errorf("the session ends at %d, error %v", last, err)
	}
	if _, err := sqlite.Restore(t.Context(), dir, file); !errors.Is(err, sqlite.ErrInUse) {
		t.Errorf("a restore under an open store: %v", err)
	}
}

func TestRestore_NotAStore_FailsWithoutChanges(t *testing.T) {
	t.Parallel()
	dir, session := written(t)
	file := filepath.Join(t.TempDir(), "letter")
	if err := os.WriteFile(file, []byte(strings.Repeat("Dear reader, ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Restore(t.Context(), dir, file); err == nil {
		t.Error("it was restored")
	}
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if last, err := s.Tail(t.Context(), session); err != nil || last != manyEvents {
		t.Errorf("the session ends at %d, error %v", last, err)
	}
}

func TestAdopt_ReplacedDatabase_CanBeOpened(t *testing.T) {
	t.Parallel()
	own, foreign := t.TempDir(), t.TempDir()
	reopen(t, own)
	reopen(t, foreign)
	copyFile(t, filepath.Join(foreign, "bellcord.db"), filepath.Join(own, "bellcord.db"))
	refused(t, own, "store adopt")
	if err := sqlite.Adopt(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	reopen(t, own)
}

// Streaming turns do not prevent a backup from finishing.
func TestBackup_DuringWrites_FinishesWithCompleteCopy(t *testing.T) {
	t.Parallel()
	dir, session := written(t)
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			_, err := s.Commit(t.Context(), []store.Op{store.AppendEvents{Session: session, Bodies: []bellcord.Body{bellcord.SessionUpdated{Title: "more"}}}})
			if err != nil {
				stopped <- err
				return
			}
		}
	}()
	file := filepath.Join(t.TempDir(), "backup.db")
	err = sqlite.Backup(t.Context(), dir, file)
	close(stop)
	if err := errors.Join(err, <-stopped, s.Close()); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	if _, err := sqlite.Restore(t.Context(), other, file); err != nil {
		t.Fatal(err)
	}
	if report, err := sqlite.Check(t.Context(), other); err != nil || len(report.Problems) > 0 || report.Events < manyEvents {
		t.Errorf("report %+v, error %v", report, err)
	}
}
