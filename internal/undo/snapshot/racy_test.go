package snapshot

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A file that was written just before it was read can be written again without
// another ctime. The second write is simulated by a wrong checksum in the index.
func TestScan_RecentlyChangedFile_IsHashedAgain(t *testing.T) {
	root := t.TempDir()
	w, err := Open(t.TempDir(), root, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var read time.Time
	defer func() { hook = nil }()
	hook = func(point string) {
		if point == "hash" {
			read = time.Now()
		}
	}
	scan := func() *node {
		t.Helper()
		if _, err := w.Scan(t.Context(), Whole); err != nil {
			t.Fatal(err)
		}
		return w.index.nodeAt("a")
	}
	age := func() time.Duration { return read.Sub(time.Unix(0, w.index.nodeAt("a").ctime)) }
	recent := 0
	for range 50 { // on a busy machine, some files are older when they are read
		if err := os.WriteFile(filepath.Join(root, "a"), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
		n := scan()
		if age() > racyWindow {
			continue
		}
		recent++
		if !n.racy {
			t.Errorf("a file of the age %v is not racy", age())
		}
	}
	if recent == 0 {
		t.Error("no file was read shortly after its change")
	}
	n := w.index.nodeAt("a")
	sum := n.state.Sum
	n.racy, n.state.Sum = true, emptySum
	if n := scan(); n.state.Sum != sum {
		t.Error("a racy file was not hashed again")
	}
	for w.index.nodeAt("a").racy {
		scan()
	}
	n = w.index.nodeAt("a")
	n.state.Sum = emptySum
	if n := scan(); n.state.Sum != emptySum {
		t.Error("an old file without a change was hashed again")
	}
}
