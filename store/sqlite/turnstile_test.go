package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/filelock"
	"github.com/bellcord/bellcord/store"
)

// A process that is suspended inside a commit keeps the locks for any time.
func TestCommit_AnotherProcessHoldsTheLock_FailsWithItsIDAndSucceedsLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	second, err := openTurnstile(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = second.closeFile() })
	s.door.most = time.Millisecond
	put := []store.Op{store.PutSession{Session: bellcord.Session{ID: "s"}}}
	for _, lock := range []string{"writer.lock", "gate.lock"} {
		other, err := filelock.Try(filepath.Join(dir, lock))
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			_, err := s.Commit(t.Context(), put)
			if err == nil || !strings.Contains(err.Error(), "writer.lock") ||
				!errors.Is(err, store.ErrNotCommitted) || !errors.Is(err, bellcord.ErrStoreDown) {
				t.Fatalf("%s is held: %v", lock, err)
			}
			if pid := fmt.Sprintf("process %d ", os.Getpid()); runtime.GOOS == "linux" && !strings.Contains(err.Error(), pid) {
				t.Errorf("%s: %v, want %q in it", lock, err, pid)
			}
		}
		if err := filelock.Release(other); err != nil {
			t.Fatal(err)
		}
		// The wait that was given up ends, and leaves the locks to others.
		if err := errors.Join(second.lock(), second.unlock()); err != nil {
			t.Fatal(err)
		}
	}
	s.door.most = mostWait
	if _, err := s.Commit(t.Context(), put); err != nil {
		t.Error(err)
	}
}
