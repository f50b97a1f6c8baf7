//go:build linux

package restore_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/restore"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// zoo is a turn with every kind of change.
func zoo() (before, after world) {
	large := strings.Repeat("a line of a large file\n", 10_000)
	before = world{
		"untouched":   file("stays"),
		"changed":     file(large),
		"script":      {tree.File, 0o755, "#!/bin/sh\n"},
		"deleted":     file("was deleted"),
		"secret":      {tree.File, 0o600, "key"},
		"link":        link("untouched"),
		"file2link":   file("a file"),
		"link2file":   link("nowhere"),
		"file2dir":    file("was a file"),
		"dir2file":    dir(0o750),
		"dir2file/in": file("in a directory"),
		"gone":        dir(0o755),
		"gone/deep":   dir(0o700),
		"gone/deep/f": file("deep"),
		"closed":      dir(0o555),
		"opened":      dir(0o755),
		"opened/f":    file("old"),
		"empty":       file(""),
		"a\nb\xff":    file("a name that is no text"),
	}
	after = world{
		"untouched":   file("stays"),
		"changed":     file("short"),
		"script":      {tree.File, 0o644, "#!/bin/sh\n"},
		"secret":      {tree.File, 0o644, "other key"},
		"link":        link("changed"),
		"file2link":   link("untouched"),
		"link2file":   file("a file now"),
		"file2dir":    dir(0o755),
		"file2dir/in": file("created"),
		"dir2file":    file("a file now"),
		"created":     file("created"),
		"new":         dir(0o755),
		"new/deep":    dir(0o755),
		"new/deep/f":  file("created"),
		"new/link":    link("../changed"),
		"closed":      dir(0o755),
		"opened":      dir(0o555),
		"opened/f":    file("new"),
		"empty":       file("not empty"),
		"a\nb\xff":    file("changed"),
	}
	return before, after
}

// U5, U15: every kind of change is undone. Other paths keep inode and modification
// time, and restored files have a new modification time.
func TestLawU5AndU15_EveryKindOfChange_RestoresTheTreeAndNothingElse(t *testing.T) {
	t.Parallel()
	before, after := zoo()
	p := newPlace(t, after)
	old := info(t, p, "changed").ModTime()
	untouched := info(t, p, "untouched")
	for path, o := range p.undo(t, keep(before), changes(before, after)) {
		if o.Result != restore.Restored {
			t.Errorf("%q: %v", path, o)
		}
	}
	p.wantWorld(t, before)
	if now := info(t, p, "untouched"); !os.SameFile(now, untouched) || !now.ModTime().Equal(untouched.ModTime()) {
		t.Error("an untouched file has another inode or time")
	}
	if !info(t, p, "changed").ModTime().After(old) {
		t.Error("a restored file has no new modification time")
	}
	if left := leftovers(p.dir); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

func info(t *testing.T, p place, path string) fs.FileInfo {
	t.Helper()
	i, err := os.Lstat(filepath.Join(p.root, path))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// U6: a path that is not in the state after the turn stays as it is, with its inode.
func TestLawU6_PathChangedSince_IsAConflictAndStays(t *testing.T) {
	t.Parallel()
	before, after := zoo()
	now := world{}
	for path, e := range after {
		now[path] = e
	}
	now["changed"] = file("edited by a person")
	now["deleted"] = file("written again by a person")
	now["script"] = entry{tree.File, 0o700, "#!/bin/sh\n"}
	now["new/mine"] = file("of a person")
	now["dir2file"] = file("edited")
	now["link"] = link("elsewhere")
	delete(now, "secret")
	p := newPlace(t, now)
	edited := info(t, p, "changed")
	got := p.undo(t, keep(before), changes(before, after))
	conflicts := []string{"changed", "deleted", "script", "new", "dir2file", "dir2file/in", "link", "secret"}
	for _, path := range conflicts {
		if got[path].Result != restore.Conflict || got[path].Reason == "" {
			t.Errorf("%q: %v, want a conflict with a reason", path, got[path])
		}
	}
	want := world{}
	for path, e := range before {
		want[path] = e
	}
	for _, path := range append(conflicts, "new/mine") {
		if e, is := now[path]; is {
			want[path] = e
		} else {
			delete(want, path)
		}
	}
	p.wantWorld(t, want)
	if !os.SameFile(edited, info(t, p, "changed")) {
		t.Error("the edited file was replaced")
	}
}

// U5: the preview names what Apply does.
func TestPreview_NothingChangesUntilApply_EqualsTheOutcomes(t *testing.T) {
	t.Parallel()
	before, after := zoo()
	p := newPlace(t, after)
	if err := os.WriteFile(filepath.Join(p.root, "changed"), []byte("edited"), 0o600); err != nil {
		t.Fatal(err)
	}
	source := keep(before)
	delete(source, before["secret"].state().Sum)
	u, err := restore.Plan(p.root, [][]tree.Change{changes(before, after)}, restore.Options{Dir: p.dir, Source: source})
	if err != nil {
		t.Fatal(err)
	}
	preview := byPath(u.Preview())
	if _, err := os.Lstat(p.dir); err == nil {
		t.Error("the plan has created the directory of the undo")
	}
	outcomes, err := u.Apply(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if preview[o.Path] != o {
			t.Errorf("%q: preview %v, outcome %v", o.Path, preview[o.Path], o)
		}
	}
	if preview["secret"].Result != restore.NotKept || preview["changed"].Result != restore.Conflict {
		t.Errorf("preview: %v", preview)
	}
	again, err := restore.Resume(t.Context(), restore.Options{Dir: p.dir})
	if err != nil || len(again) != len(outcomes) {
		t.Errorf("an undo that is done returns %d outcomes, %v; want %d", len(again), err, len(outcomes))
	}
}

// U5: bytes that are missing or damaged in the source are reported, and the path is
// left alone.
func TestUndo_BytesDamaged_LeavesThePath(t *testing.T) {
	t.Parallel()
	before, after := zoo()
	p := newPlace(t, after)
	source := keep(before)
	source[before["changed"].state().Sum] = "damaged"
	source[before["file2dir"].state().Sum] = "damaged"
	got := p.undo(t, source, changes(before, after))
	if got["changed"].Result != restore.NotKept || got["file2dir"].Result != restore.NotKept {
		t.Errorf("outcomes: %v, %v", got["changed"], got["file2dir"])
	}
	before["changed"], before["file2dir"] = after["changed"], after["file2dir"]
	p.wantWorld(t, before)
}

// U5: a symbolic link in a path is not followed, neither outside the workspace nor to
// another directory in it.
func TestUndo_DirectoryReplacedByLink_TouchesNothingBehindIt(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "f"), []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := world{"a": dir(0o755), "a/f": file("old"), "b": dir(0o755), "b/f": file("old"), "c": dir(0o755), "c/f": file("new")}
	after := world{"a": dir(0o755), "a/f": file("new"), "b": dir(0o755), "b/f": file("new"), "c": dir(0o755), "c/f": file("new")}
	now := world{"a": link(outside), "b": link("c"), "c": dir(0o755), "c/f": file("new")}
	p := newPlace(t, now)
	evil := []tree.Change{
		{Path: "../workspace/c/f", Before: file("old").state(), After: file("new").state()},
		{Path: "/" + outside + "/f", Before: file("old").state(), After: file("new").state()},
	}
	got := p.undo(t, keep(before), append(changes(before, after), evil...))
	for path, o := range got {
		if o.Result != restore.Conflict {
			t.Errorf("%q: %v, want a conflict", path, o)
		}
	}
	p.wantWorld(t, now)
	if text, err := os.ReadFile(filepath.Join(outside, "f")); err != nil || string(text) != "new" {
		t.Errorf("the file outside has %q, %v", text, err)
	}
}

// U9: files of git repositories are not changed, whatever the changes contain.
func TestLawU9_PathsInGitDirectories_AreRefused(t *testing.T) {
	t.Parallel()
	before := world{".git": dir(0o755), ".git/HEAD": file("old"), "sub": dir(0o755), "sub/.GIT": dir(0o755), "sub/.GIT/x": file("old")}
	after := world{".git": dir(0o755), ".git/HEAD": file("new"), "sub": dir(0o755), "sub/.GIT": dir(0o755), "sub/.GIT/x": file("new")}
	p := newPlace(t, after)
	wantResults(t, p.undo(t, keep(before), changes(before, after)), map[string]restore.Result{".git/HEAD": restore.Conflict, "sub/.GIT/x": restore.Conflict})
	p.wantWorld(t, after)
}

// U7, U15: a file with another hard link is replaced; the other link keeps bytes,
// inode and time, also outside the workspace.
func TestLawU7AndU15_HardLinkedFile_LeavesTheOtherLink(t *testing.T) {
	t.Parallel()
	before, after := world{"f": file("old")}, world{"f": file("new")}
	p := newPlace(t, after)
	store := filepath.Join(filepath.Dir(p.root), "store")
	if err := os.Link(filepath.Join(p.root, "f"), store); err != nil {
		t.Fatal(err)
	}
	linked := info(t, p, "f")
	if got := p.undo(t, keep(before), changes(before, after))["f"]; got.Result != restore.Restored || got.OtherLinks != 1 {
		t.Errorf("%v, want restored with 1 other link", got)
	}
	p.wantWorld(t, before)
	now, err := os.Lstat(store)
	if text, _ := os.ReadFile(store); err != nil || string(text) != "new" || !os.SameFile(now, linked) || !now.ModTime().Equal(linked.ModTime()) {
		t.Errorf("the other link has %q, %v, %v", text, now, err)
	}
}

// U5: if the directory of the undo is in another file system, the trash is in the
// workspace, is hidden from git, and disappears with the undo.
func TestUndo_DirectoryInAnotherFileSystem_UsesATrashInTheWorkspace(t *testing.T) {
	t.Parallel()
	memory, err := os.MkdirTemp("/dev/shm", "undo-*")
	if err != nil {
		t.Skip("/dev/shm is required: ", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(memory) })
	before, after := zoo()
	p := newPlace(t, after)
	p.dir = filepath.Join(memory, "undo")
	if device(t, memory) == device(t, p.root) {
		t.Skip("/dev/shm and the directory for tests are one file system")
	}
	p.undo(t, keep(before), changes(before, after))
	if text, err := os.ReadFile(filepath.Join(p.root, ".bellcord-trash", ".gitignore")); err != nil || string(text) != "*\n" {
		t.Errorf(".gitignore: %q, %v", text, err)
	}
	redo, err := restore.Reversed(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	second := place{root: p.root, dir: filepath.Join(memory, "redo")}
	second.undo(t, restore.Displaced{p.dir}, redo)
	for _, dir := range []string{p.dir, second.dir} {
		if late, err := restore.Collect(restore.Options{Dir: dir}); err != nil || len(late) > 0 {
			t.Errorf("collect: %v, %v", late, err)
		}
	}
	p.wantWorld(t, after)
}

func device(t *testing.T, path string) uint64 {
	t.Helper()
	i, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return i.Sys().(*syscall.Stat_t).Dev
}

// U7: a file in the trash that is written after the undo is not deleted by the next
// collection, which reports it.
func TestLawU7_FileWrittenInTheTrash_IsReportedAndKept(t *testing.T) {
	t.Parallel()
	before, after := world{"f": file("old")}, world{"f": file("new"), "g": file("created")}
	p := newPlace(t, after)
	open, err := os.OpenFile(filepath.Join(p.root, "g"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	p.undo(t, keep(before), changes(before, after))
	if _, err := open.WriteString("of an editor"); err != nil {
		t.Fatal(err)
	}
	late, err := restore.Collect(restore.Options{Dir: p.dir})
	if err != nil || len(late) != 1 || late[0].Path != "g" || late[0].Result != restore.Late {
		t.Fatalf("collect: %v, %v; want g", late, err)
	}
	if text, err := os.ReadFile(late[0].Trash); err != nil || string(text) != "of an editor" {
		t.Errorf("the trash has %q, %v", text, err)
	}
	if late, err := restore.Collect(restore.Options{Dir: p.dir}); err != nil || len(late) > 0 {
		t.Errorf("second collection: %v, %v", late, err)
	}
	if _, err := os.Lstat(p.dir); err == nil {
		t.Error("the directory of the undo still exists")
	}
	p.wantWorld(t, before)
}

// U11: the undo of one session's turn changes nothing that only another session
// wrote, and no path that the other session changed later.
func TestUndo_TurnsOfTwoSessionsInOneDirectory_TouchesOnlyItsOwn(t *testing.T) {
	t.Parallel()
	start := world{"shared": file("0"), "one": file("0"), "two": file("0")}
	first := world{"shared": file("1"), "one": file("1"), "two": file("0"), "made": dir(0o755), "made/one": file("1")}
	second := world{"shared": file("2"), "one": file("1"), "two": file("2"), "made": dir(0o755), "made/one": file("1"), "made/two": file("2"), "new": file("2")}
	p := newPlace(t, second)
	twos := info(t, p, "made/two")
	source := keep(start, first, second)
	got := p.undo(t, source, changes(start, first))
	wantResults(t, got, map[string]restore.Result{
		"shared": restore.Conflict, "one": restore.Restored, "made": restore.Conflict, "made/one": restore.Restored,
	})
	p.wantWorld(t, world{"shared": file("2"), "one": file("0"), "two": file("2"), "made": dir(0o755), "made/two": file("2"), "new": file("2")})
	if !os.SameFile(twos, info(t, p, "made/two")) {
		t.Error("the file of the other session was replaced")
	}
	both := place{root: p.root, dir: p.dir + "-both"}
	both.undo(t, source, changes(first, second), changes(start, first))
	p.wantWorld(t, start)
}

// U5: a directory that is created in a directory with the setgid bit inherits the
// bit. It gets its earlier mode, with or without the bit.
func TestUndo_DirectoryInSetgidDirectory_HasItsEarlierMode(t *testing.T) {
	t.Parallel()
	before := world{"g": dir(0o755 | os.ModeSetgid), "g/plain": dir(0o755), "g/plain/f": file("1"), "g/set": dir(0o700 | os.ModeSetgid)}
	after := world{"g": before["g"]}
	p := newPlace(t, after)
	wantResults(t, p.undo(t, keep(before), changes(before, after)), map[string]restore.Result{
		"g/plain": restore.Restored, "g/plain/f": restore.Restored, "g/set": restore.Restored,
	})
	p.wantWorld(t, before)
}
