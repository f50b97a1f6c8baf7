package filelock_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord/internal/filelock"
)

func TestTry_LockIsHeld_FailsUntilReleased(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first, err := filelock.Try(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := filelock.Try(path); !errors.Is(err, filelock.ErrHeld) {
		t.Errorf("a second holder is told %v", err)
	}
	if err := filelock.Release(first); err != nil {
		t.Fatal(err)
	}
	again, err := filelock.Try(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(filelock.Unlock(again), filelock.Wait(again), again.Close()); err != nil {
		t.Error(err)
	}
}
