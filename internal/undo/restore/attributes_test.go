//go:build linux

package restore_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord/internal/undo/restore"
)

func TestUndo_HardLinksOfOneFile_AreOneFileAgain(t *testing.T) {
	t.Parallel()
	before := world{"a": file("1"), "b": file("1"), "c": file("other")}
	after := world{"a": file("2"), "b": file("2"), "c": file("2")}
	p := newPlace(t, world{"a": file("2")})
	for _, name := range []string{"b", "c"} {
		must(t, os.Link(filepath.Join(p.root, "a"), filepath.Join(p.root, name)))
	}
	got := p.undo(t, keep(before), changes(before, after))
	p.wantWorld(t, before)
	if a, b := info(t, p, "a"), info(t, p, "b"); !os.SameFile(a, b) || os.SameFile(a, info(t, p, "c")) {
		t.Error("a and b are two files, or c is the same file")
	}
	if got["a"].OtherLinks != 0 {
		t.Errorf("%+v, want no other links", got["a"])
	}
}

func TestUndo_FileWithExtendedAttributes_KeepsThem(t *testing.T) {
	t.Parallel()
	before, after := world{"f": file("1")}, world{"f": file("2")}
	p := newPlace(t, after)
	if err := unix.Setxattr(filepath.Join(p.root, "f"), "user.k", []byte("v"), 0); err != nil {
		t.Skip("the file system has no extended attributes: ", err)
	}
	p.undo(t, keep(before), changes(before, after))
	p.wantWorld(t, before)
	value := make([]byte, 8)
	if n, err := unix.Getxattr(filepath.Join(p.root, "f"), "user.k", value); err != nil || string(value[:n]) != "v" {
		t.Errorf("%q, %v", value[:max(n, 0)], err)
	}
}

// U4: a directory of which the entries are not known does not come back empty.
func TestUndo_DirectoryWhoseEntriesWereNotRead_IsNotKept(t *testing.T) {
	t.Parallel()
	before := world{"d": dir(0o755), "d/e": dir(0o755)}
	p := newPlace(t, world{})
	lost := changes(before, world{})
	lost[1].Kept, lost[1].Reason = false, "cannot be read"
	wantResults(t, p.undo(t, keep(before), lost), map[string]restore.Result{"d": restore.Restored, "d/e": restore.NotKept})
	p.wantWorld(t, world{"d": dir(0o755)})
}
