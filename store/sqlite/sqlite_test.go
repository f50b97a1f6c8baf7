package sqlite_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/bellcord/bellcord/store/sqlite"
	"github.com/bellcord/bellcord/store/storetest"
)

var batches = flag.Int("batches", 0, "number of batches with hostile values; 0 for a few")

func TestMain(m *testing.M) { storetest.Main(m, open) }

func open(dir string) (storetest.Node, error) {
	s, err := sqlite.Open(context.Background(), dir)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func TestStore_Suite_Passes(t *testing.T) {
	t.Parallel()
	h := storetest.Harness{
		Open:    open,
		Place:   func(t *testing.T) string { return t.TempDir() },
		Forsake: forsake,
		Gaps:    gaps,
		Batches: *batches,
	}
	if runtime.GOOS == "windows" {
		h.Forsake = nil // Windows removes no file that is open, so a live node keeps its lock
	}
	storetest.Run(t, h)
}

// forsake removes the lock files of all nodes, although the nodes hold them.
func forsake(t *testing.T, dir string) {
	locks, err := filepath.Glob(filepath.Join(dir, "nodes", "*.lock"))
	if err != nil || len(locks) == 0 {
		t.Fatalf("no locks in %s, error %v", dir, err)
	}
	for _, lock := range locks {
		if err := os.Remove(lock); err != nil {
			t.Fatal(err)
		}
	}
}
