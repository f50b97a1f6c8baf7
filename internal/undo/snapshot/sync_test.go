package snapshot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/durable"
)

// durableFiles is what a power failure would leave.
type durableFiles struct {
	size map[string]int64 // of files when they were synced
	name map[string]bool  // files whose names are durable
	logs int              // how often the log was synced
}

// watchSyncs records syncs. Whenever the log is synced, all bytes that it refers
// to must be durable.
func watchSyncs(t *testing.T, w *Workspace) *durableFiles {
	t.Helper()
	d := &durableFiles{map[string]int64{}, map[string]bool{}, 0}
	t.Cleanup(func() { syncFile, syncDir = (*os.File).Sync, durable.SyncDir })
	syncDir = func(dir string) error {
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		for _, name := range names {
			d.name[name] = true
		}
		return err
	}
	syncFile = func(f *os.File) error {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		d.size[f.Name()] = info.Size()
		if !strings.Contains(f.Name(), "log-") {
			return f.Sync()
		}
		d.logs++
		data, err := os.ReadFile(f.Name())
		if err != nil {
			return err
		}
		x := newIndex()
		if _, err := replayAll(x, data); err != nil {
			return err
		}
		for _, p := range x.blobs {
			if path := segmentPath(w.dir, p.segment); d.size[path] < p.offset+p.size || !d.name[path] {
				t.Errorf("the log refers to %d bytes of %s, %d are durable, its name is: %v", p.offset+p.size, path, d.size[path], d.name[path])
			}
		}
		return f.Sync()
	}
	return d
}

// wantLog requires that the whole log is durable.
func (d *durableFiles) wantLog(t *testing.T, w *Workspace) {
	t.Helper()
	path := w.journal.logPath()
	if info, err := os.Stat(path); err != nil || d.size[path] != info.Size() || !d.name[path] {
		t.Errorf("%d bytes of the log are durable, its name is: %v; want all: %v, %v", d.size[path], d.name[path], info, err)
	}
}

// U1: bytes are durable before the log that refers to them, and the log
// before Begin returns.
func TestLawU1_NewBytes_AreSyncedBeforeTheLogAndTheLogBeforeItReturns(t *testing.T) {
	root := t.TempDir()
	put := func(size int, names ...string) {
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(root, name), []byte(name+strings.Repeat("x", size)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(1000, "small")
	w, err := Open(t.TempDir(), root, Limits{Segment: 4 << 10, File: 4 << 10, Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	d := watchSyncs(t, w)
	if _, err := w.Scan(t.Context(), Whole); err != nil {
		t.Fatal(err)
	}
	d.wantLog(t, w)
	if err := os.Remove(filepath.Join(root, "small")); err != nil { // it would be read again
		t.Fatal(err)
	}
	put(2000, "a", "b") // one is the last of the first segment, the other begins the second
	if _, err := w.Scan(t.Context(), Whole); err != nil {
		t.Fatal(err)
	}
	put(3000, "c", "d") // two parts
	if _, err := w.Begin(t.Context(), Call{ID: "1"}, Whole); err != nil {
		t.Fatal(err)
	}
	d.wantLog(t, w)
	if len(w.index.blobs) != 5 || d.logs < 5 {
		t.Errorf("%d files are kept, the log was synced %d times", len(w.index.blobs), d.logs)
	}
}

// U1: the same holds for Keep.
func TestKeep_BytesOfThePath_AreSyncedBeforeItReturns(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := Open(t.TempDir(), root, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	d := watchSyncs(t, w)
	if _, err := w.Keep(t.Context(), Call{ID: "1"}, "a"); err != nil {
		t.Fatal(err)
	}
	d.wantLog(t, w)
	if len(w.index.blobs) != 1 || d.logs < 2 {
		t.Errorf("%d files are kept, the log was synced %d times", len(w.index.blobs), d.logs)
	}
}

// U7: the collection removes a segment after its live bytes are durable elsewhere.
func TestCollect_MovedBytes_AreSyncedBeforeTheOldOnesAreRemoved(t *testing.T) {
	root := t.TempDir()
	w, err := Open(t.TempDir(), root, Limits{Segment: 4 << 10, File: 4 << 10, Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	d := watchSyncs(t, w)
	for _, size := range []int{3000, 2900} { // the first bytes of the large file are garbage then
		for name, n := range map[string]int{"small": 500, "large": size} {
			if err := os.WriteFile(filepath.Join(root, name), []byte(name+strings.Repeat("x", n)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Scan(t.Context(), Whole); err != nil {
			t.Fatal(err)
		}
	}
	moved := false
	hook = func(point string) {
		if point == "bytes moved" {
			moved = true
		}
	}
	defer func() { hook = nil }()
	if _, err := w.Collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !moved || d.logs == 0 {
		t.Error("no bytes were moved")
	}
}
