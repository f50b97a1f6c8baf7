//go:build unix

package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord/store/sqlite"
)

func TestOpen_DatabaseFiles_AreReadableByOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	files, err := filepath.Glob(filepath.Join(dir, "bellcord.db*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, path := range files {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the rights %v, %v", filepath.Base(path), info.Mode(), err)
		}
	}
}
