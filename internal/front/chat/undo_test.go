package chat_test

import (
	"errors"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

var twoFiles = bellcord.Changes{Changed: 1, Created: 1, Files: []bellcord.FileChange{
	{Path: "cart.go", Kind: bellcord.FileChanged, Certainty: bellcord.ChangeOwn},
	{Path: "new.txt", Kind: bellcord.FileCreated, Certainty: bellcord.ChangeDuring},
}}

// preview is what an undo of twoFiles would do: one file was changed since.
func preview() *chat.Preview {
	return &chat.Preview{
		Request: bellcord.UndoRequest{ID: "u", Turn: "t1", Confirmed: true}, Changes: twoFiles,
		Undone: bellcord.Undone{Turns: []bellcord.TurnID{"t1"}, UndoResult: bellcord.UndoResult{Restored: 1, Conflicts: 1, Files: []bellcord.UndoneFile{
			{Path: "cart.go", Result: bellcord.UndoConflict, Reason: "it was changed since"},
			{Path: "new.txt", Result: bellcord.UndoRestored},
		}}},
	}
}

// turnChanged returns a stage on which a turn has changed two files.
func turnChanged(t *testing.T) *stage {
	t.Helper()
	return newStage(t).runs("fix the cart").after(2 * time.Second).ends(bellcord.Receipt{End: bellcord.EndDone, Changes: &twoFiles})
}

// askedToUndo returns a stage that asks whether to undo, with the question settled.
func askedToUndo(t *testing.T) *stage {
	t.Helper()
	s := turnChanged(t)
	of := chat.PreviewUndo{Session: "s"}
	if got := s.enters("/undo"); len(got) != 1 {
		t.Fatalf("/undo: %+v", got)
	}
	s.m.Apply(chat.Report{Of: of, Preview: preview()})
	return s.draw().after(time.Second).draw()
}

func TestEndLine_ChangedFiles_CountsThemAndNamesUndo(t *testing.T) {
	t.Parallel()
	turnChanged(t).has("● done 0:02 · files: 1 changed, 1 created · /undo")
	newStage(t).runs("x").ends(bellcord.Receipt{End: bellcord.EndDone, Changes: &bellcord.Changes{}}).hasNot("files:", "/undo")
}

func TestChangesRecorded_AfterThePendingEnd_IsOneLineUnlessEmpty(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("x").ends(bellcord.Receipt{End: bellcord.EndDone, Changes: &bellcord.Changes{Pending: true}})
	s.hasNot("files:", "/undo")
	s.happens(bellcord.ChangesRecorded{Turn: "t1"}).hasNot("files: \n", "/undo")
	if got := s.enters("/changes"); got != nil {
		t.Errorf("/changes without changes: %+v", got)
	}
	s.happens(bellcord.ChangesRecorded{Turn: "t1", Changes: twoFiles}).has("files: 1 changed, 1 created · /undo")
	s.enters("/receipt")
	s.has("new.txt: created while a command was running")
}

func TestUndo_Preview_IsAskedWithEveryPath(t *testing.T) {
	t.Parallel()
	s := askedToUndo(t)
	s.shows("undo", 80, 24)
	s.shows("undo-narrow", 40, 24)
}

func TestUndo_Confirmed_SendsTheRequestOnce(t *testing.T) {
	t.Parallel()
	s := askedToUndo(t)
	if got := s.types("y").press("x"); got != nil {
		t.Fatalf("another key: %+v", got)
	}
	s.press("backspace")
	s.press("backspace")
	s.after(time.Second).draw()
	s.types("y").has("› y undo 1 file · enter confirms")
	got := s.press("enter")
	if len(got) != 1 || got[0].(chat.Undo).Request.ID != "u" {
		t.Fatalf("got %+v", got)
	}
	s.hasNot("? Undo")
	s.m.Apply(chat.Report{Of: got[0], Text: "cart.go: left alone: it was changed since"})
	s.has("cart.go: left alone: it was changed since")
}

func TestUndo_EscNOrANewTurn_CancelsIt(t *testing.T) {
	t.Parallel()
	for name, cancel := range map[string]func(s *stage) []chat.Action{
		"esc":           func(s *stage) []chat.Action { return s.press("esc") },
		"esc twice":     func(s *stage) []chat.Action { return append(s.press("esc"), s.press("esc")...) },
		"ctrl+c":        func(s *stage) []chat.Action { return s.press("ctrl+c") },
		"n":             func(s *stage) []chat.Action { return s.types("n").press("enter") },
		"a new turn":    func(s *stage) []chat.Action { s.of("t2").runs("next"); return nil },
		"another undo":  func(s *stage) []chat.Action { s.happens(bellcord.Undone{Undo: "other"}); return nil },
		"other session": func(s *stage) []chat.Action { s.enters("/new"); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := askedToUndo(t)
			if got := cancel(s); len(got) != 0 {
				t.Errorf("got %+v", got)
			}
			s.hasNot("? Undo 1 file", "y undo")
		})
	}
}

func TestUndo_EscEsc_NeverUndoes(t *testing.T) {
	t.Parallel()
	s := turnChanged(t)
	for range 4 {
		if got := s.after(100 * time.Millisecond).press("esc"); got != nil {
			t.Fatalf("esc: %+v", got)
		}
	}
	s.hasNot("? Undo")
}

func TestUndo_TurnRuns_SaysWhatToDo(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("x")
	if got := s.enters("/undo"); got != nil {
		t.Errorf("got %+v", got)
	}
	s.has("A turn is running: stop it first with esc, then use /undo.")
}

func TestUndo_NothingToRestore_IsDescribedWithoutAQuestion(t *testing.T) {
	t.Parallel()
	s := turnChanged(t)
	p := preview()
	p.Undone.UndoResult = bellcord.UndoResult{Conflicts: 1, Files: p.Undone.Files[:1]}
	s.m.Apply(chat.Report{Of: chat.PreviewUndo{Session: "s"}, Preview: p})
	s.has("Nothing to undo.", "cart.go: left alone: it was changed since").hasNot("then enter")
	p.Undone.UndoResult = bellcord.UndoResult{}
	s.m.Apply(chat.Report{Of: chat.PreviewUndo{Session: "s", Paths: []string{"other.go"}}, Preview: p})
	s.has("Nothing to undo: the turn did not change other.go")
}

func TestUndo_Failure_IsShown(t *testing.T) {
	t.Parallel()
	s := turnChanged(t)
	s.m.Apply(chat.Report{Of: chat.Undo{}, Err: errors.New("the disk is full")})
	s.has("not undone: the disk is full")
}

func TestUndo_Paths_AreWordsWithQuotes(t *testing.T) {
	t.Parallel()
	got := turnChanged(t).enters(`/undo src "my file.txt"`)
	p := got[0].(chat.PreviewUndo)
	if len(p.Paths) != 2 || p.Paths[1] != "my file.txt" || p.Redo {
		t.Errorf("got %+v", p)
	}
	if p := turnChanged(t).enters("/redo")[0].(chat.PreviewUndo); !p.Redo {
		t.Errorf("got %+v", p)
	}
}

func TestChanges_Turn_IsFoundByAPartOfItsID(t *testing.T) {
	t.Parallel()
	s := turnChanged(t)
	s.of("t2").runs("y").ends(bellcord.Receipt{End: bellcord.EndDone})
	if got := s.enters("/changes")[0]; got != (chat.ShowChanges{Turn: "t1"}) {
		t.Errorf("the last turn that changed files: %+v", got)
	}
	if got := s.enters("/changes 2")[0]; got != (chat.ShowChanges{Turn: "t2"}) {
		t.Errorf("by its end: %+v", got)
	}
	if got := s.enters("/changes …T2")[0]; got != (chat.ShowChanges{Turn: "t2"}) {
		t.Errorf("in the form of lists: %+v", got)
	}
	if got := s.enters("/changes t"); got != nil {
		t.Errorf("ambiguous: %+v", got)
	}
	s.has("2 turns match t")
}

func TestDiff_WholeFiles_ShowsTheChangedPartsWithLineNumbers(t *testing.T) {
	t.Parallel()
	s := turnChanged(t)
	if got := s.enters("/diff cart.go")[0]; got != (chat.ShowDiff{Turn: "t1", Path: "cart.go"}) {
		t.Fatalf("got %+v", got)
	}
	before, after := "", ""
	for i := range 50 {
		l := "line " + string(rune('A'+i%26)) + "\n"
		before += l
		if i == 30 {
			l = "changed\n"
		}
		after += l
	}
	s.m.Apply(chat.Report{Of: chat.ShowDiff{}, Diff: []bellcord.Change{{Path: "/work/here/cart.go", Old: &before, New: after}, {Path: "/work/here/new.txt", New: "hello\n"}}})
	s.has("cart.go · +1 −1", "31 − line E", "31 + changed", "28   line B", "34   line H", "new.txt · +1 −0", "1 + hello").hasNot("line A")
}
