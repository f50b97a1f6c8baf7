package undo_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo"
)

// stage is a session in a directory with a recorder.
type stage struct {
	t        *testing.T
	dir      string
	recorder *undo.Recorder
	session  bellcord.Session
	undone   []bellcord.Undone
	found    chan bellcord.ChangesRecorded
}

func newStage(t *testing.T, files map[string]string) *stage {
	t.Helper()
	s := &stage{t: t, dir: t.TempDir(), found: make(chan bellcord.ChangesRecorded, 10)}
	s.session = bellcord.Session{ID: bellcord.NewSessionID(), Dir: s.dir}
	for name, text := range files {
		s.write(name, text)
	}
	s.open(t.TempDir())
	return s
}

func (s *stage) open(place string) {
	s.recorder = undo.New(undo.Options{
		Place: place,
		Undone: func(_ context.Context, _ bellcord.SessionID, u bellcord.Undone) error {
			s.undone = append(s.undone, u)
			return nil
		},
		Found: func(_ context.Context, _ bellcord.SessionID, c bellcord.ChangesRecorded) error {
			s.found <- c
			return nil
		},
	})
	s.t.Cleanup(func() {
		if err := s.recorder.Close(); err != nil {
			s.t.Error(err)
		}
	})
}

func (s *stage) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) remove(name string) {
	s.t.Helper()
	if err := os.Remove(filepath.Join(s.dir, name)); err != nil {
		s.t.Fatal(err)
	}
}

// tree returns the files of the session's directory.
func (s *stage) tree() map[string]string {
	s.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(s.dir, path)
		all[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// receipt collects the changes of a turn as a receipt and an event would.
type receipt struct {
	set    []bellcord.Changes
	events []bellcord.Body
	follow func(context.Context) (bellcord.Changes, error)
}

func (r *receipt) Emit(b bellcord.Body) error {
	r.events = append(r.events, b)
	return nil
}

func (r *receipt) SetChanges(c bellcord.Changes) { r.set = append(r.set, c) }

func (r *receipt) FollowChanges(wait func(context.Context) (bellcord.Changes, error)) {
	r.SetChanges(bellcord.Changes{Pending: true})
	r.follow = wait
}

// last returns the changes when they are complete.
func (r *receipt) last(t *testing.T) bellcord.Changes {
	t.Helper()
	if r.follow != nil {
		c, err := r.follow(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if len(r.set) == 0 {
		return bellcord.Changes{}
	}
	return r.set[len(r.set)-1]
}

// command runs a turn with one call that can change any file.
func (s *stage) command(do func()) (bellcord.TurnID, bellcord.Changes) {
	s.t.Helper()
	id, r := bellcord.NewTurnID(), &receipt{}
	turn := s.recorder.Turn(s.session, id, r)
	if err := turn.Before(s.t.Context(), "call", false); err != nil {
		s.t.Fatal(err)
	}
	do()
	turn.After("call")
	turn.Close()
	return id, r.last(s.t)
}

func (s *stage) undo(q undo.Request) bellcord.Undone {
	s.t.Helper()
	q.Session = s.session
	u, err := s.recorder.Undo(s.t.Context(), q)
	if err != nil {
		s.t.Fatal(err)
	}
	return u
}

func kinds(c bellcord.Changes) map[string]bellcord.FileChangeKind {
	all := map[string]bellcord.FileChangeKind{}
	for _, f := range c.Files {
		all[f.Path] = f.Kind
	}
	return all
}

func TestTurn_CommandChangesFiles_ReceiptListsEveryChange(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1", "b": "1", "c": "1"})
	_, changes := s.command(func() {
		s.write("a", "2")
		s.write("dir/new", "x")
		s.remove("b")
	})
	want := map[string]bellcord.FileChangeKind{"a": bellcord.FileChanged, "b": bellcord.FileDeleted, "dir": bellcord.FileCreated, "dir/new": bellcord.FileCreated}
	if got := kinds(changes); len(got) != len(want) {
		t.Errorf("changes: %v, want %v", got, want)
	}
	for path, kind := range want {
		if kinds(changes)[path] != kind {
			t.Errorf("%s: %q, want %q", path, kinds(changes)[path], kind)
		}
	}
	if text := changes.Text(); text != "1 changed, 1 created, 1 deleted" {
		t.Errorf("text: %q", text)
	}
	for _, f := range changes.Files {
		if f.Certainty != bellcord.ChangeDuring || f.NotKept != "" {
			t.Errorf("%+v", f)
		}
	}
}

func TestTurn_FileToolNamesThePath_ChangeIsOwn(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1"})
	r := &receipt{}
	turn := s.recorder.Turn(s.session, bellcord.NewTurnID(), r)
	for _, name := range []string{"a", "new/b"} { // one call changes several files
		if err := turn.Changing(t.Context(), "patch", filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
		s.write(name, "2")
	}
	turn.After("patch")
	turn.Close()
	changes := r.last(t)
	if changes.Changed != 1 || changes.Created != 1 {
		t.Errorf("%+v", changes)
	}
	for _, f := range changes.Files {
		if f.Certainty != bellcord.ChangeOwn {
			t.Errorf("%+v", f)
		}
	}
}

func TestTurn_NoCall_HasNoChanges(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	r := &receipt{}
	turn := s.recorder.Turn(s.session, bellcord.NewTurnID(), r)
	turn.Warm(0)
	turn.Close()
	if len(r.set) > 0 || r.follow != nil {
		t.Errorf("%+v", r)
	}
}

func TestTurn_CallHasBegun_ReceiptIsPending(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	r := &receipt{}
	turn := s.recorder.Turn(s.session, bellcord.NewTurnID(), r)
	if err := turn.Before(t.Context(), "call", false); err != nil {
		t.Fatal(err)
	}
	if len(r.set) != 1 || !r.set[0].Pending {
		t.Errorf("%+v", r.set)
	}
	turn.After("call")
	turn.Close()
	r.last(t)
}

func TestTurn_StoppedWhileFilesAreKept_ReturnsTheCause(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := &bellcord.Cause{Kind: bellcord.CausePerson}
	cancel(cause)
	r := &receipt{}
	turn := s.recorder.Turn(s.session, bellcord.NewTurnID(), r)
	if err := turn.Before(ctx, "call", false); !errors.Is(err, cause) {
		t.Errorf("error: %v", err)
	}
	turn.After("call")
	turn.Close()
	if c := r.last(t); !c.IsEmpty() {
		t.Errorf("%+v", c)
	}
}

func TestUndo_CommandConfirmed_RestoresEveryFile(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1", "b": "1", "c": "1"})
	before := s.tree()
	id, _ := s.command(func() {
		s.write("a", "2")
		s.write("dir/new", "x")
		s.remove("b")
	})
	after := s.tree()
	preview := s.undo(undo.Request{Turns: []bellcord.TurnID{id}, Confirmed: true, Preview: true})
	if preview.Restored != 4 || !equal(s.tree(), after) {
		t.Errorf("the preview: %+v, the files: %v", preview, s.tree())
	}
	u := s.undo(undo.Request{Turns: []bellcord.TurnID{id}, Confirmed: true, By: "anna", Source: "test"})
	if u.Restored != 4 || !equal(s.tree(), before) {
		t.Errorf("%+v, the files: %v", u, s.tree())
	}
	if len(s.undone) != 1 || s.undone[0].Undo != u.Undo || s.undone[0].By != "anna" {
		t.Errorf("recorded: %+v", s.undone)
	}
	redone, err := s.recorder.Redo(t.Context(), undo.Request{Session: s.session}, u.Undo)
	if err != nil || redone.Restored != 4 || redone.Redone != u.Undo || !equal(s.tree(), after) {
		t.Errorf("%+v, %v, the files: %v", redone, err, s.tree())
	}
}

func equal(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

func TestUndo_CommandNotConfirmed_SkipsItsChanges(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1"})
	id, _ := s.command(func() { s.write("a", "2") })
	u := s.undo(undo.Request{Turns: []bellcord.TurnID{id}})
	if u.Skipped != 1 || u.Restored != 0 || s.tree()["a"] != "2" {
		t.Errorf("%+v, the files: %v", u, s.tree())
	}
}

func TestUndo_PathChangedSince_IsLeftAlone(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1", "b": "1"})
	id, _ := s.command(func() {
		s.write("a", "2")
		s.write("b", "2")
	})
	s.write("a", "mine")
	u := s.undo(undo.Request{Turns: []bellcord.TurnID{id}, Confirmed: true})
	if u.Conflicts != 1 || u.Restored != 1 || s.tree()["a"] != "mine" || s.tree()["b"] != "1" {
		t.Errorf("%+v, the files: %v", u, s.tree())
	}
}

func TestUndo_OnePath_LeavesTheOthers(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1", "dir/b": "1"})
	id, _ := s.command(func() {
		s.write("a", "2")
		s.write("dir/b", "2")
	})
	for _, path := range []string{"./dir/", filepath.Join(s.dir, "dir/b")} {
		u := s.undo(undo.Request{Turns: []bellcord.TurnID{id}, Confirmed: true, Paths: []string{path}, Preview: true})
		if len(u.Files) != 1 || u.Files[0].Path != "dir/b" {
			t.Errorf("%s: %+v", path, u)
		}
	}
	s.undo(undo.Request{Turns: []bellcord.TurnID{id}, Confirmed: true, Paths: []string{"dir/b"}})
	if s.tree()["a"] != "2" || s.tree()["dir/b"] != "1" {
		t.Errorf("the files: %v", s.tree())
	}
}

func TestUndo_SameIDTwice_UndoesOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1"})
	id, _ := s.command(func() { s.write("a", "2") })
	first := s.undo(undo.Request{ID: "one", Turns: []bellcord.TurnID{id}, Confirmed: true})
	s.write("a", "2")
	second := s.undo(undo.Request{ID: "one", Turns: []bellcord.TurnID{id}, Confirmed: true})
	if !slices.Equal(first.Files, second.Files) || first.Restored != second.Restored || s.tree()["a"] != "2" || len(s.undone) != 1 {
		t.Errorf("%+v, then %+v, the files: %v, %d recorded", first, second, s.tree(), len(s.undone))
	}
}

func TestUndo_TwoTurns_NewestFirst(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1"})
	first, _ := s.command(func() { s.write("a", "2") })
	second, _ := s.command(func() { s.write("a", "3") })
	if u := s.undo(undo.Request{Turns: []bellcord.TurnID{first}, Confirmed: true}); u.Conflicts != 1 {
		t.Errorf("an undo of the first turn alone: %+v", u)
	}
	u := s.undo(undo.Request{Turns: []bellcord.TurnID{second, first}, Confirmed: true})
	if u.Restored != 1 || s.tree()["a"] != "1" {
		t.Errorf("%+v, the files: %v", u, s.tree())
	}
}

func TestUndo_UnknownTurn_SaysSo(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	if _, err := s.recorder.Undo(t.Context(), undo.Request{Session: s.session, Turns: []bellcord.TurnID{"none"}}); !errors.Is(err, bellcord.ErrNoChanges) {
		t.Errorf("error: %v", err)
	}
	if _, err := s.recorder.Redo(t.Context(), undo.Request{Session: s.session}, "../none"); !errors.Is(err, bellcord.ErrNoUndo) {
		t.Errorf("error: %v", err)
	}
}

func TestUndo_WhileACallIsOpen_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	id := bellcord.NewTurnID()
	turn := s.recorder.Turn(s.session, id, &receipt{})
	if err := turn.Before(t.Context(), "call", false); err != nil {
		t.Fatal(err)
	}
	soon, done := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer done()
	if _, err := s.recorder.Undo(soon, undo.Request{Session: s.session, Turns: []bellcord.TurnID{id}}); !errors.Is(err, bellcord.ErrTurnRunning) {
		t.Errorf("error: %v", err)
	}
	turn.After("call")
	turn.Close()
}

func TestRecover_ClosedDuringACall_FindsItsChanges(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1"})
	place := t.TempDir()
	s.open(place)
	id := bellcord.NewTurnID()
	turn := s.recorder.Turn(s.session, id, &receipt{})
	if err := turn.Before(t.Context(), "call", false); err != nil {
		t.Fatal(err)
	}
	s.write("a", "2")
	if err := s.recorder.Close(); err != nil {
		t.Fatal(err)
	}
	s.open(place)
	s.recorder.Recover(s.recorder.Interrupted())
	select {
	case found := <-s.found:
		if found.Turn != id || found.Changes.Changed != 1 || found.Changes.Files[0].Certainty != bellcord.ChangeFound {
			t.Errorf("%+v", found)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was found")
	}
	u := s.undo(undo.Request{Turns: []bellcord.TurnID{id}, Confirmed: true})
	if u.Restored != 1 || s.tree()["a"] != "1" {
		t.Errorf("%+v, the files: %v", u, s.tree())
	}
}

func TestForget_Directory_RemovesEverythingThatIsKept(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"a": "1"})
	place := t.TempDir()
	s.open(place)
	id, _ := s.command(func() { s.write("a", "2") })
	if err := s.recorder.Forget(t.Context(), s.dir); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(place); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if _, err := s.recorder.Undo(t.Context(), undo.Request{Session: s.session, Turns: []bellcord.TurnID{id}}); !errors.Is(err, bellcord.ErrNoChanges) {
		t.Errorf("error: %v", err)
	}
}

func TestTurn_DirectoryContainsTheStorage_ReceiptSaysThatNothingIsKept(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.open(filepath.Join(s.dir, ".local", "undo"))
	id, changes := s.command(func() { s.write("a", "1") })
	if !strings.Contains(changes.Problem, "nothing is kept") || len(changes.Files) > 0 {
		t.Errorf("%+v", changes)
	}
	if _, err := s.recorder.Undo(t.Context(), undo.Request{Session: s.session, Turns: []bellcord.TurnID{id}}); !errors.Is(err, bellcord.ErrNoChanges) {
		t.Errorf("error: %v", err)
	}
}

// With several nodes, the directory of a session can be at another node only.
func TestUndo_DirectoryIsMissing_ReportsThatNothingIsKept(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.session.Dir = filepath.Join(s.dir, "none")
	if _, err := s.recorder.Undo(t.Context(), undo.Request{Session: s.session, Turns: []bellcord.TurnID{"t"}}); !errors.Is(err, bellcord.ErrNoChanges) {
		t.Errorf("undo: %v", err)
	}
	if _, err := s.recorder.Redo(t.Context(), undo.Request{Session: s.session}, "u"); !errors.Is(err, bellcord.ErrNoChanges) {
		t.Errorf("redo: %v", err)
	}
	if _, err := s.recorder.Texts(t.Context(), s.session, "t", ""); !errors.Is(err, bellcord.ErrNoChanges) {
		t.Errorf("texts: %v", err)
	}
}

func TestLawU4_DirectoriesOutside_ReceiptSaysThatTheyAreNotCompared(t *testing.T) {
	t.Parallel()
	other, foreign := t.TempDir(), t.TempDir()
	for name, test := range map[string]struct {
		change func(*undo.Turn) error
		want   []string
	}{
		"command":               {func(turn *undo.Turn) error { return turn.Before(t.Context(), "call", false) }, []string{other}},
		"tool in the directory": {nil, nil},
		"tool in an additional one": {func(turn *undo.Turn) error {
			return turn.Changing(t.Context(), "call", filepath.Join(other, "new", "a"))
		}, []string{other}},
		"tool in a directory beyond": {func(turn *undo.Turn) error { return turn.Changing(t.Context(), "call", filepath.Join(foreign, "a")) }, []string{foreign}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, nil)
			s.session.AdditionalDirs = []string{other}
			if test.change == nil {
				test.change = func(turn *undo.Turn) error { return turn.Changing(t.Context(), "call", filepath.Join(s.dir, "a")) }
			}
			r, id := &receipt{}, bellcord.NewTurnID()
			turn := s.recorder.Turn(s.session, id, r)
			if err := test.change(turn); err != nil {
				t.Fatal(err)
			}
			s.write("a", "1")
			turn.After("call")
			turn.Close()
			var gaps []bellcord.FileGap
			for _, dir := range test.want {
				gaps = append(gaps, bellcord.FileGap{Path: dir, Reason: "outside of the session's directory"})
			}
			kept, err := s.recorder.Changes(t.Context(), s.session, id)
			if receipt := r.last(t); err != nil || !slices.Equal(receipt.Gaps, gaps) || !slices.Equal(kept.Gaps, gaps) {
				t.Errorf("the receipt has %v, and the storage %v, %v; want %v", receipt.Gaps, kept.Gaps, err, gaps)
			}
		})
	}
}
