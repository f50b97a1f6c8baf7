//go:build unix

package filelock_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord/internal/filelock"
)

// A child with a copy of the descriptor represents one that is being started:
// between fork and exec it has every descriptor of its parent.
func TestRelease_ChildHasCopyOfDescriptor_ReleasesTheLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	held, err := filelock.Try(path)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sleep", "60")
	child.ExtraFiles = []*os.File{held}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = child.Process.Kill(), child.Wait() })
	if err := filelock.Release(held); err != nil {
		t.Fatal(err)
	}
	again, err := filelock.Try(path)
	if err != nil {
		t.Fatalf("after its release: %v", err)
	}
	if err := filelock.Release(again); err != nil {
		t.Error(err)
	}
}
