package confine

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

func TestSweep_ParentHasABracketInItsName_RemovesUnusedDirectories(t *testing.T) {
	t.Parallel()
	d := &TempDirs{Parent: filepath.Join(t.TempDir(), "a[b")}
	if err := os.MkdirAll(filepath.Join(d.Parent, "unused", "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.Sweep()
	if entries, err := os.ReadDir(d.Parent); err != nil || len(entries) != 1 || entries[0].Name() != guardName {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// Each command grows the directory before its second look. The size is compared with
// that of the last look of an earlier command.
func TestWatchTmp_ShortCommandsFillTheDirectory_LaterCommandIsEnded(t *testing.T) {
	t.Parallel()
	dir := &tempDir{path: t.TempDir()}
	synctest.Test(t, func(t *testing.T) {
		write := func(name string, size int) {
			if err := os.WriteFile(filepath.Join(dir.path, name), make([]byte, size), 0o600); err != nil {
				t.Error(err)
			}
		}
		command := func(duration time.Duration, do func()) (ended bool) {
			ctx, done := context.WithTimeout(t.Context(), duration)
			defer done()
			writing := time.AfterFunc(tmpChecked/4, do)
			defer writing.Stop()
			watchTmp(ctx, dir, 1<<20, func() { ended = true })
			synctest.Wait()
			return ended
		}
		nothing := func() {}
		for _, c := range []struct {
			name     string
			duration time.Duration
			do       func()
			ended    bool
		}{
			{"begins with an empty directory", tmpChecked / 2, func() { write("a", 2<<20) }, false},
			{"begins with a directory that has grown", tmpChecked / 2, nothing, true},
			{"the next one does not grow it", 3 * tmpChecked, nothing, false},
			{"grows it again", tmpChecked / 2, func() { write("b", 1<<20) }, false},
			{"sees that it has grown again", tmpChecked / 2, nothing, true},
			{"removes a file", 3 * tmpChecked, func() { _ = os.Remove(filepath.Join(dir.path, "b")) }, false},
			{"grows it to an earlier size", 3 * tmpChecked, func() { write("b", 1<<20) }, true},
			{"removes all files", 3 * tmpChecked, func() { write("a", 0); write("b", 0) }, false},
			{"stays below the limit", 3 * tmpChecked, func() { write("a", 1<<19) }, false},
		} {
			if ended := command(c.duration, c.do); ended != c.ended {
				t.Errorf("the command that %s: ended %v", c.name, ended)
			}
		}
	})
}
