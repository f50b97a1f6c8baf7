//go:build linux

package snapshot_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// names of paths: few, so that operations meet; also with unusual bytes.
var (
	names     = []string{"a", "b", "sub", "new\nline", "bad\xff\xfeutf8", ".env", " ", "ü"}
	operation = rapid.SampledFrom([]string{"create", "write", "append", "truncate", "mmap", "rename", "mkdir", "symlink", "link", "chmod", "remove", "swap"})
)

// operate does one random operation. Operations that are not possible have no
// effect.
func operate(t *rapid.T, root string) {
	path := func(label string) string {
		p := rapid.SampledFrom(names).Draw(t, label)
		if rapid.Bool().Draw(t, label+" deep") {
			p += "/" + rapid.SampledFrom(names).Draw(t, label+" in")
		}
		return filepath.Join(root, p)
	}
	p, text := path("path"), rapid.StringN(0, 40, 100).Draw(t, "text")
	switch op := operation.Draw(t, "op"); op {
	case "create", "write":
		_ = os.MkdirAll(filepath.Dir(p), 0o755)
		_ = os.WriteFile(p, []byte(text), 0o644)
	case "append":
		if f, err := os.OpenFile(p, os.O_APPEND|os.O_WRONLY, 0); err == nil {
			_, _ = f.WriteString(text)
			_ = f.Close()
		}
	case "truncate":
		_ = os.Truncate(p, int64(len(text)/2))
	case "mmap":
		mapped(p, text)
	case "rename":
		_ = os.Rename(p, path("to"))
	case "mkdir":
		_ = os.MkdirAll(p, 0o755)
	case "symlink":
		_ = os.RemoveAll(p)
		_ = os.Symlink("target of "+fmt.Sprint(len(text)), p)
	case "link":
		_ = os.Link(p, path("to"))
	case "chmod":
		if info, err := os.Lstat(p); err == nil && info.Mode()&os.ModeSymlink == 0 {
			_ = os.Chmod(p, rapid.SampledFrom([]os.FileMode{0o600, 0o644, 0o700, 0o755, 0o755 | os.ModeSetgid}).Draw(t, "mode"))
		}
	case "remove":
		_ = os.RemoveAll(p)
	case "swap": // a directory becomes a file, or a file a directory
		info, err := os.Lstat(p)
		_ = os.RemoveAll(p)
		if err == nil && info.IsDir() {
			_ = os.WriteFile(p, []byte(text), 0o644)
		} else if err == nil {
			_ = os.MkdirAll(filepath.Join(p, "inner"), 0o755)
		}
	}
}

// mapped writes to a file through memory.
func mapped(path, text string) {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 || !info.Mode().IsRegular() {
		return
	}
	m, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err == nil {
		copy(m, text)
		_ = unix.Munmap(m)
	}
}

// The workspace changes at random in calls and between them. U2.
func TestLawU2_RandomScripts_ListsExactlyTheChangesOfTheCall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base, err := os.MkdirTemp("", "snapshot-*")
		must(t, err)
		defer func() { _ = os.RemoveAll(base) }()
		root, place := filepath.Join(base, "root"), filepath.Join(base, "place")
		must(t, os.Mkdir(root, 0o755))
		limits := snapshot.Limits{Segment: 1 << 10, File: 1 << 10, Bytes: 4 << 20}
		w := open(t, place, root, limits)
		defer func() { _ = w.Close() }()
		for i := range rapid.IntRange(1, 4).Draw(t, "calls") {
			for range rapid.IntRange(0, 4).Draw(t, "between") {
				operate(t, root)
			}
			id, as := fmt.Sprint("call ", i), tree.During
			begin(t, w, id, "session")
			before := copyOf(t, root)
			for range rapid.IntRange(0, 8).Draw(t, "during") {
				operate(t, root)
			}
			switch rapid.SampledFrom([]string{"", "", "reopen", "collect", "scan", "scan, collect, reopen"}).Draw(t, "meanwhile") {
			case "reopen":
				must(t, w.Close())
				w, as = open(t, place, root, limits), tree.Found
			case "collect":
				_, err := w.Collect(ctx)
				must(t, err)
			case "scan, collect, reopen": // the paths of the open call are in the new index
				_, err := w.Scan(ctx, snapshot.Whole)
				must(t, err)
				_, err = w.Collect(ctx)
				must(t, errors.Join(err, w.Close()))
				w, as = open(t, place, root, limits), tree.Found
			case "scan":
				_, err := w.Scan(ctx, snapshot.Whole)
				must(t, err)
				operate(t, root)
			}
			after := copyOf(t, root)
			r := end(t, w, id)
			equalChanges(t, w, r.Changes, changes(before, after, as), before, after)
			if len(r.Gaps) > 0 {
				t.Fatalf("gaps: %v", r.Gaps)
			}
		}
	})
}

func TestEnd_CallWithoutChanges_ListsNone(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, snapshot.Limits{})
	write(t, root, "a/b", "text")
	begin(t, w, "1", "s")
	must(t, os.Chtimes(filepath.Join(root, "a/b"), time.Now(), time.Now().Add(-time.Hour)))
	if r := end(t, w, "1"); len(r.Changes) > 0 {
		t.Errorf("changes of a call that changed only times:\n%s", list(r.Changes))
	}
}
